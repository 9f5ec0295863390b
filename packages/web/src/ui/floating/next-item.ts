/** Returns the item of a list that a key leads to; `undefined` for keys that do not move. The ends lead to each other, as in menus. */
export function nextItem(labels: readonly string[], at: number, key: string): number | undefined {
  const { length } = labels;
  if (length === 0) return undefined;
  if (key === 'ArrowDown') return (at + 1) % length;
  if (key === 'ArrowUp') return (Math.max(at, 0) - 1 + length) % length;
  if (key === 'Home') return 0;
  if (key === 'End') return length - 1;
  if (key.length !== 1 || key === ' ') return undefined;
  const letter = key.toLowerCase();
  const order = [...labels.keys()].map((step) => (at + 1 + step + length) % length);
  return order.find((index) => labels[index]?.trimStart().toLowerCase().startsWith(letter) === true);
}
