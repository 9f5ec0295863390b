/** The loads that failed while the server was away. */
const waiting = new Set<() => void>();

/** Does something once the server is back; returns a function that stops waiting for that. */
export function whenBack(again: () => void): () => void {
  waiting.add(again);
  return () => void waiting.delete(again);
}

/** The server is back. */
export function tellBack(): void {
  const all = [...waiting];
  waiting.clear();
  for (const again of all) again();
}
