// Keeps what a CSMS sends from growing into records: beyond a depth or a size only the fact is kept.

const maxDepth = 40;
const maxNodes = 10_000;

/** The value itself when it is of ordinary size; otherwise a note in its place. */
export function bounded(value: unknown): unknown {
  let nodes = 0;
  const fits = (part: unknown, depth: number): boolean => {
    if (typeof part === 'string') {
      nodes += part.length / 100;
      return nodes <= maxNodes;
    }
    if (typeof part !== 'object' || part === null) return ++nodes <= maxNodes;
    if (depth === 0) return false;
    return Object.values(part).every((inner) => ++nodes <= maxNodes && fits(inner, depth - 1));
  };
  return fits(value, maxDepth) ? value : { omitted: 'too large or too deeply nested to keep; the log has the frame' };
}
