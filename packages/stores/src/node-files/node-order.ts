const collator = new Intl.Collator('en', { numeric: true });

/** By number where names hold one, so that node-10 comes after node-9; the same on every machine. */
export function compareNames(a: string, b: string): number {
  return collator.compare(a, b) || Number(a > b) - Number(a < b);
}
