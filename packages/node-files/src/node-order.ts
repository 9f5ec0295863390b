let collator: Intl.Collator | undefined;

/** Compares by number if names hold one, so that node-10 comes after node-9; the same on every machine. */
export function compareNames(a: string, b: string): number {
  // Made on first use: that takes longer than everything else that a start needs from here.
  collator ??= new Intl.Collator('en', { numeric: true });
  return collator.compare(a, b) || Number(a > b) - Number(a < b);
}
