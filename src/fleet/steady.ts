// The clock that nobody sets, the same in all processes of a machine.

/** Milliseconds since any moment. */
export function steadyMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}
