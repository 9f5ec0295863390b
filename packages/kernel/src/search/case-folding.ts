/**
 * Folds case: texts that a search takes for the same without regard to case become the same text. It never changes a length,
 * so offsets hold. A few texts that differ fold alike too (the dotless ı and i, some characters beyond U+FFFF): a hit in a
 * folded text is a candidate, never a match.
 */
export function foldCase(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text.toLowerCase();
  const units = new Uint16Array(text.length);
  for (let index = 0; index < text.length; index += 1) units[index] = foldUnit(text.charCodeAt(index));
  let folded = '';
  for (let start = 0; start < units.length; start += atOnce) {
    folded += String.fromCharCode(...units.subarray(start, start + atOnce));
  }
  return folded;
}

/** The same for one UTF-16 code unit. */
export function foldUnit(unit: number): number {
  return foldTable()[unit] ?? unit;
}

/** The fold of every code unit. */
export function foldTable(): Uint16Array {
  return (tables ??= buildTables()).folded;
}

/** The code units that fold to the same as a unit, itself among them. */
export function foldedAlike(unit: number): readonly number[] {
  return (tables ??= buildTables()).alike.get(foldUnit(unit)) ?? [unit];
}

interface FoldTables {
  folded: Uint16Array;
  alike: ReadonlyMap<number, readonly number[]>;
}

/**
 * Puts characters with the same capitals in one group, regardless of the length of those: that holds every pair of Unicode's
 * simple case folding, of any version, since a pair that differs in its capitals would not be one.
 */
function buildTables(): FoldTables {
  const groups = new Map<string, number[]>();
  const folded = Uint16Array.from({ length: 0x10000 }, (_, unit) => unit);
  for (let unit = 0; unit < 0x10000; unit += 1) {
    if (unit >= highSurrogates && unit < afterSurrogates) {
      // The letters beyond U+FFFF that have a case differ in their second half.
      if (unit >= lowSurrogates) folded[unit] = lowSurrogates;
      continue;
    }
    const capitals = String.fromCharCode(unit).toLowerCase().toUpperCase();
    const group = groups.get(capitals);
    if (group === undefined) groups.set(capitals, [unit]);
    else group.push(unit);
  }
  const alike = new Map<number, readonly number[]>();
  for (const group of groups.values()) {
    if (group.length === 1) continue;
    // ASCII folds to small letters, which `toLowerCase` does fast.
    const to = group.find((unit) => unit >= 0x61 && unit <= 0x7a) ?? group[0] ?? 0;
    for (const unit of group) folded[unit] = to;
    alike.set(to, group);
  }
  return { folded, alike };
}

let tables: FoldTables | undefined;
const atOnce = 8_192;
const highSurrogates = 0xd800;
const lowSurrogates = 0xdc00;
const afterSurrogates = 0xe000;
