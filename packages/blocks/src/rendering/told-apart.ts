/** The number of letters of a name that a narrow list is sure to show. */
const sureLetters = 24;

/**
 * Returns names for a list in which no two look the same: where names begin alike, the part that differs follows the first two words. What is
 * the same to its end is told apart by its hint, if those differ.
 */
export function toldApart(names: readonly { readonly name: string; readonly hint?: string | undefined }[]): string[] {
  const words = names.map(({ name }) => name.replaceAll(/\s+/gu, ' ').trim());
  const order = words.map((_, index) => index).sort((one, other) => compare(words[one] ?? '', words[other] ?? ''));
  const result = [...words];
  for (const [place, index] of order.entries()) {
    const own = words[index] ?? '';
    const beside = [order[place - 1], order[place + 1]].filter((other) => other !== undefined);
    const shared = Math.max(0, ...beside.map((other) => sharedLength(own, words[other] ?? '')));
    if (shared < sureLetters) continue;
    const isSame = beside.some((other) => words[other] === own);
    result[index] = isSame ? withHint(own, names, words, index) : fromDifference(own, shared);
  }
  return result;
}

function withHint(
  own: string,
  names: readonly { readonly hint?: string | undefined }[],
  words: readonly string[],
  index: number,
): string {
  const hint = names[index]?.hint;
  const others = names.filter((_, other) => other !== index && words[other] === own);
  const tells = hint !== undefined && hint !== '' && others.some((other) => other.hint !== hint);
  return tells ? `${hint}: ${own}` : own;
}

function fromDifference(own: string, shared: number): string {
  const [head = ''] = /^\S+(?: \S+)?/u.exec(own) ?? [];
  // From the beginning of the word that differs, or of the last one where one name ends in the other.
  const start = own.lastIndexOf(' ', Math.min(shared, own.length - 1)) + 1;
  return start <= head.length + 1 ? own : `${head} … ${own.slice(start)}`;
}

function sharedLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one[at] === other[at]) at += 1;
  return at;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
