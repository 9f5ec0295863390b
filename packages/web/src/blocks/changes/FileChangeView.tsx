import { useMemo } from 'react';
import type { ReactElement } from 'react';
import type { FileChange } from '@loom/blocks';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { useStore } from '../../stores/use-store.ts';
import { useBlockHost } from '../block-host.ts';
import { useFold } from '../folding/use-fold.ts';
import { Diff } from './Diff.tsx';
import { LineCounts } from './LineCounts.tsx';
import { readDiff } from './diff-rows.ts';

const kinds: Readonly<Record<FileChange['kind'], { letter: string; word: string }>> = {
  add: { letter: 'A', word: 'Added' },
  modify: { letter: 'M', word: 'Modified' },
  delete: { letter: 'D', word: 'Deleted' },
  rename: { letter: 'R', word: 'Renamed' },
};

interface FileChangeViewProps {
  id: string;
  change: FileChange;
  isOpenByItself: boolean;
}

/** One file that was changed: what became of it, and the lines that differ. */
export function FileChangeView({ id, change, isOpenByItself }: FileChangeViewProps): ReactElement {
  const { path, kind, from, diff } = change;
  const { diffView } = useBlockHost();
  const view = useStore(diffView);
  const [isOpen, toggle] = useFold(`${id} diff`, isOpenByItself);
  const read = useMemo(() => (diff === undefined ? undefined : readDiff(diff)), [diff]);
  const hasLines = read !== undefined && read.rows.length > 0;
  const { letter, word } = kinds[kind];
  const name = (
    <>
      <span className={`change-kind change-${kind}`} aria-hidden="true">
        {letter}
      </span>
      <span className="unseen">{word} </span>
      <span className="mono cut grow">
        {path}
        {from !== undefined && <span className="quiet"> from {from}</span>}
      </span>
      {read !== undefined && <LineCounts added={read.added} deleted={read.deleted} />}
    </>
  );
  return (
    <div className="change">
      <div className="change-head">
        {hasLines ? (
          <button type="button" className="change-name" aria-expanded={isOpen} onClick={toggle}>
            {!isOpenByItself && (
              <span className="fold-mark">
                <Icon name="right" small />
              </span>
            )}
            {name}
          </button>
        ) : (
          <span className="change-name">{name}</span>
        )}
        {hasLines && isOpen && (
          <>
            <IconButton
              icon="split"
              label={view === 'split' ? 'One column' : 'Side by side'}
              isSmall
              isPressed={view === 'split'}
              onClick={() => diffView.set(view === 'split' ? 'unified' : 'split')}
            />
            <CopyButton text={diff ?? ''} label="Copy the diff" />
          </>
        )}
      </div>
      {isOpen && read !== undefined && hasLines && <Diff id={id} rows={read.rows} view={view} path={path} />}
    </div>
  );
}
