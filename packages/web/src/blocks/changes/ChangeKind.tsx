import type { ReactElement } from 'react';
import type { FileChange } from '@loom/blocks';

const kinds: Readonly<Record<FileChange['kind'], { letter: string; word: string }>> = {
  add: { letter: 'A', word: 'Added' },
  modify: { letter: 'M', word: 'Modified' },
  delete: { letter: 'D', word: 'Deleted' },
  rename: { letter: 'R', word: 'Renamed' },
};

/** The kind of a file change: a letter to see, a word to hear. */
export function ChangeKind({ kind }: Pick<FileChange, 'kind'>): ReactElement {
  const { letter, word } = kinds[kind];
  return (
    <>
      <span className={`change-kind change-${kind}`} aria-hidden="true">
        {letter}
      </span>
      <span className="unseen">{word} </span>
    </>
  );
}
