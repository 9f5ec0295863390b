import { useState } from 'react';
import type { ReactElement } from 'react';
import type { LongOutput } from '@loom/blocks';
import { later } from '../../ui/later.tsx';
import { bytes } from '../../words/amounts.ts';
import { useBlockHost } from '../block-host.ts';
import { useFold } from '../folding/use-fold.ts';
import { saveBlob } from '../../ui/save-blob.ts';

/** Loaded late: few outputs are that long, and fewer are read to their end. */
const RangePane = later(async () => (await import('./RangePane.tsx')).RangePane, { isExpected: false });

interface LongOutputViewProps {
  /** The key under which its folding is remembered. */
  id: string;
  output: LongOutput;
  /** The line that it was printed for. */
  command: string | undefined;
  isError: boolean;
  isGrowing: boolean;
  label: string;
}

const [headLines, tailLines] = [6, 3];

/** Output that is too long for its conversation: its beginning, its size, and its end; all of it on demand. */
export function LongOutputView({ id, output, command, isError, isGrowing, label }: LongOutputViewProps): ReactElement {
  const { blob, tail = '' } = output;
  const [isOpen, toggle] = useFold(`${id} lines`);
  const head = linesOf(output.preview).slice(0, headLines).join('\n');
  const end = linesOf(tail).slice(-tailLines).join('\n');
  const name = isError ? 'output output-error scroll' : 'output scroll';
  const showsAll = isOpen && blob !== undefined;
  return (
    <div className="tool-body">
      <pre className={name} tabIndex={0} aria-label={`${label}, how it begins`}>
        {command !== undefined && (
          <>
            <span className="output-prompt">$ </span>
            {command}
            {!showsAll && '\n'}
          </>
        )}
        {!showsAll && head}
      </pre>
      {showsAll ? (
        <RangePane blob={blob} bytes={output.bytes} label={label} isError={isError} onClose={toggle} />
      ) : (
        <>
          <Gap output={output} shown={head.length + end.length} isGrowing={isGrowing} onShowAll={toggle} />
          {(end !== '' || isGrowing) && (
            <pre className={name} tabIndex={0} aria-label={`${label}, how it ends`}>
              {end}
              {isGrowing && <span className="caret" />}
            </pre>
          )}
        </>
      )}
    </div>
  );
}

interface GapProps {
  output: LongOutput;
  /** Characters of it that are shown. */
  shown: number;
  isGrowing: boolean;
  onShowAll: () => void;
}

/** The size of the part that is not shown, and the ways to it. */
function Gap({ output: { blob, bytes: all, printed }, shown, isGrowing, onShowAll }: GapProps): ReactElement {
  const { readBlob } = useBlockHost();
  const [trouble, setTrouble] = useState<string>();
  const save = (from: string) => () => {
    setTrouble(undefined);
    readBlob(from, 'text/plain')
      .then((file) => saveBlob(file, 'output.txt'))
      .catch(() => setTrouble('It could not be read. Try again.'));
  };
  const hidden = `${bytes(Math.max(0, all - shown))} hidden${isGrowing ? ' so far' : ''}`;
  const dropped =
    printed === undefined ? '' : `; it printed ${bytes(printed)}, of which the first ${bytes(all)} were kept`;
  return (
    <div className="output-gap">
      <span role={trouble === undefined ? undefined : 'alert'}>{trouble ?? `${hidden}${dropped}`}</span>
      {blob !== undefined && (
        <>
          <button type="button" className="text-button" onClick={onShowAll}>
            Show all {bytes(all)}
          </button>
          <button type="button" className="text-button" onClick={save(blob)}>
            Save as…
          </button>
        </>
      )}
    </div>
  );
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/u, '').split('\n');
}
