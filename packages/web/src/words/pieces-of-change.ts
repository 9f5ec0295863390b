import { alignWords } from './word-diff.ts';

/** A piece of a text beside the text before: in both, or only in one of them. */
export interface ChangedPiece {
  readonly text: string;
  readonly is: 'same' | 'added' | 'deleted';
}

/** Returns a text with what is new in it, and with what was deleted at its place. A lone space between changes is part of them. */
export function piecesOfChange(before: string, after: string): ChangedPiece[] {
  const { left, right } = alignWords(before, after);
  const pieces: ChangedPiece[] = [];
  const put = (is: ChangedPiece['is'], text: string): void => {
    const last = pieces.at(-1);
    if (last?.is === is) pieces[pieces.length - 1] = { is, text: last.text + text };
    else if (text !== '') pieces.push({ is, text });
  };
  for (let one = 0, other = 0; one < left.length || other < right.length;) {
    let [deleted, added] = ['', ''];
    for (let isChange = true; isChange;) {
      for (; left[one]?.isSame === false; one += 1) deleted += left[one]?.text ?? '';
      for (; right[other]?.isSame === false; other += 1) added += right[other]?.text ?? '';
      const space = left[one]?.text ?? '';
      const goesOn = left[one + 1]?.isSame === false || right[other + 1]?.isSame === false;
      isChange = deleted + added !== '' && space !== '' && space.trim() === '' && goesOn;
      if (!isChange) break;
      deleted += space;
      added += space;
      one += 1;
      other += 1;
    }
    put('deleted', deleted);
    put('added', added);
    put('same', right[other]?.text ?? '');
    one += 1;
    other += 1;
  }
  return pieces;
}
