import * as fc from 'fast-check';

/** Lines made of the given pieces. */
export function linesOf(piece: fc.Arbitrary<string>): fc.Arbitrary<string[]> {
  // A \r at the end of a line would belong to the line ending.
  const line = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('').replace(/\r+$/, ''));
  return fc.array(line, { maxLength: 5 });
}

interface Part {
  source: string;
  /** True if it can match nothing: RE2 and JavaScript repeat such parts differently. */
  nullable: boolean;
}

const atom = fc
  .constantFrom('a', 'b', 'c', 'ab', '1', 'é', '😀', '.', '[ab]', '[^a]', '[^ab1]', '\\d', '\\w', '\\W', '[a-c😀]')
  .map((source): Part => ({ source, nullable: false }));

// Not \B: V8 finds it inside surrogate pairs.
const assertion = fc.constantFrom('^', '$', '\\b').map((source): Part => ({ source, nullable: true }));

const quantifier = fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{2}', '{1,3}', '{0,2}?', '{2,}');

const { tree } = fc.letrec<{ tree: Part; group: Part; repeated: Part; sequence: Part }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    { arbitrary: atom, weight: 3 },
    assertion,
    tie('repeated'),
    tie('sequence'),
    tie('group'),
  ),
  group: fc
    .tuple(fc.constantFrom('(', '(?:'), fc.array(tie('tree'), { minLength: 1, maxLength: 3 }))
    .map(([open, parts]) => ({
      source: `${open}${parts.map((part) => part.source).join('|')})`,
      nullable: parts.some((part) => part.nullable),
    })),
  repeated: fc
    .tuple(fc.oneof(atom, tie('group')), quantifier)
    .map(([part, sign]) =>
      part.nullable ? part : { source: `(?:${part.source})${sign}`, nullable: /^[*?]|^\{0/.test(sign) },
    ),
  sequence: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }).map((parts) => ({
    source: parts.map((part) => part.source).join(''),
    nullable: parts.every((part) => part.nullable),
  })),
}));

/** Sources of patterns that mean the same to RE2 and to JavaScript with the flag `v`. */
export const pattern: fc.Arbitrary<string> = tree.map((part) => part.source);
