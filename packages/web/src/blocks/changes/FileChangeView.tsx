import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { fullPathIn } from '@loom/blocks';
import type { FileChange } from '@loom/blocks';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { later } from '../../ui/later.tsx';
import { useStore } from '../../stores/use-store.ts';
import { useBlockHost } from '../block-host.ts';
import { useFold } from '../folding/use-fold.ts';
import { FilePath } from '../paths/FilePath.tsx';
import { OpenInEditor } from '../paths/OpenInEditor.tsx';
import { ChangeKind } from './ChangeKind.tsx';
import { useTellWriters } from './LineNumber.tsx';
import { LineCounts } from './LineCounts.tsx';
import { readDiff } from './diff-rows.ts';

/** Loaded late: many conversations show no difference. */
const Diff = later(async () => (await import('./Diff.tsx')).Diff, { isExpected: false });

interface FileChangeViewProps {
  id: string;
  change: FileChange;
  home?: string | undefined;
  isOpenByItself: boolean;
}

/** One file that was changed: what became of it, and the lines that differ. */
export function FileChangeView({ id, change, home, isOpenByItself }: FileChangeViewProps): ReactElement {
  const { path, kind, from, diff } = change;
  const { diffView, folder } = useBlockHost();
  const view = useStore(diffView);
  const [isOpen, toggle] = useFold(`${id} diff`, isOpenByItself);
  const read = useMemo(() => (diff === undefined ? undefined : readDiff(diff)), [diff]);
  const tellWriters = useTellWriters();
  const hasLines = read !== undefined && read.rows.length > 0;
  const name = (
    <>
      <ChangeKind kind={kind} />
      <span className="change-paths">
        <FilePath path={path} home={home} />
        {from !== undefined && (
          <span className="quiet">
            from <FilePath path={from} home={home} />
          </span>
        )}
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
        {tellWriters !== undefined && kind !== 'delete' && (
          <IconButton
            icon="agent"
            label="Who wrote this file?"
            isSmall
            onClick={() => tellWriters({ path, line: firstLineOf(diff) })}
          />
        )}
        <OpenInEditor path={path} line={firstLineOf(diff)} />
        <CopyButton text={fullPathIn(path, folder())} label="Copy the path" icon="file" />
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

/** The first line that a diff is about, in the file as it is now. */
function firstLineOf(diff = ''): number {
  return Number(/^@@ -\S+ \+(\d+)/mu.exec(diff)?.[1] ?? 1);
}
