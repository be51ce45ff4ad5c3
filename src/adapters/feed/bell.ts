// Tells those who wait for events that there are some: once in a turn of the event loop, however many were published in it.

export class Bell {
  readonly #tells = new Set<{ readonly tell: () => void }>();
  #isDue = false;

  subscribe(tell: () => void): () => void {
    const entry = { tell };
    this.#tells.add(entry);
    return () => void this.#tells.delete(entry);
  }

  ring(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      for (const entry of [...this.#tells]) {
        // Whoever was told before may have ended it.
        if (!this.#tells.has(entry)) continue;
        try {
          entry.tell();
        } catch {
          this.#tells.delete(entry);
        }
      }
    });
  }
}
