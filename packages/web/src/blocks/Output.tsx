import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import type { BlobReference } from '@loom/blocks';
import { bytes, grouped } from '../words/amounts.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { CopyText } from '../ui/CopyText.tsx';
import { useBlockHost } from './block-host.ts';
import { shownOutput } from './output-lines.ts';
import type { OutputPart } from './output-lines.ts';
import { saveBlob } from './save-blob.ts';
import { useFold } from './folding/use-fold.ts';

interface OutputProps {
  /** The key under which its folding is remembered. */
  id: string;
  parts: readonly OutputPart[];
  /** The line that it was printed for. */
  command?: string;
  /** Parts that were too long to stay in the conversation; `parts` has their beginnings. */
  blobs?: readonly BlobReference[];
  isGrowing?: boolean;
  label?: string;
  /** Further actions, beside copying. */
  actions?: ReactNode;
}

/** The output of a program or a tool: its first lines, and all of it on demand. */
export function Output(props: OutputProps): ReactElement {
  const { id, parts, command, blobs = [], isGrowing = false, label = 'Output', actions } = props;
  const [showsAll, toggle] = useFold(`${id} lines`);
  const [fetched, setFetched] = useState<readonly OutputPart[]>();
  const whole = fetched ?? parts;
  const shown = shownOutput(whole, showsAll || fetched !== undefined);
  const text = whole.map((part) => part.text).join('\n');
  const copied = text === '' ? (command ?? '') : text;
  const isLarge = blobs.length > 0 && fetched === undefined;
  const canFold = !isLarge && fetched === undefined && (shown.isCut || showsAll);
  const hasFoot = isLarge || canFold || actions !== undefined;
  return (
    <div className="tool-body">
      <pre
        className={`output scroll${shown.lines > 400 && !shown.isCut ? ' output-tall' : ''}`}
        tabIndex={0}
        aria-label={label}
      >
        {command !== undefined && (
          <>
            <span className="output-prompt">$ </span>
            {command}
            {(shown.parts.length > 0 || isGrowing) && '\n'}
          </>
        )}
        {shown.parts.map((part, index) => (
          <span key={index} className={part.isError ? 'output-error' : undefined}>
            {part.text}
            {index < shown.parts.length - 1 && '\n'}
          </span>
        ))}
        {isGrowing && <span className="caret" />}
      </pre>
      {hasFoot ? (
        <div className="tool-foot">
          {isLarge && <LargeOutput blobs={blobs} parts={parts} onFetched={setFetched} />}
          {canFold && (
            <button type="button" className="text-button" onClick={toggle}>
              {shown.isCut ? `Show all ${grouped(shown.lines)} lines` : 'Show the first lines'}
            </button>
          )}
          <span className="grow" />
          {actions}
          <CopyText text={copied} />
        </div>
      ) : (
        <span className="output-copy">
          <CopyButton text={copied} />
        </span>
      )}
    </div>
  );
}

interface LargeOutputProps {
  blobs: readonly BlobReference[];
  parts: readonly OutputPart[];
  onFetched: (parts: readonly OutputPart[]) => void;
}

/** The size of an output that is kept as a file, and the ways to all of it. */
function LargeOutput({ blobs, parts, onFetched }: LargeOutputProps): ReactElement {
  const { readBlob } = useBlockHost();
  const [trouble, setTrouble] = useState<string>();
  const all = blobs.reduce((sum, blob) => sum + blob.bytes, 0);
  const here = blobs.reduce((sum, { preview }) => sum + new Blob([preview]).size, 0);
  const read = (use: (blob: Blob) => Promise<void>) => () => {
    setTrouble(undefined);
    readAll(blobs, readBlob)
      .then(use)
      .catch(() => setTrouble('The rest could not be read. Try again.'));
  };
  return (
    <>
      <span role={trouble === undefined ? undefined : 'alert'}>
        {trouble ?? `First ${bytes(here)} of ${bytes(all)}`}
      </span>
      <button
        type="button"
        className="text-button"
        onClick={read(async (blob) => onFetched([{ text: await blob.text(), isError: parts[0]?.isError ?? false }]))}
      >
        Open all
      </button>
      <button type="button" className="text-button" onClick={read(async (blob) => saveBlob(blob, 'output.txt'))}>
        Save as…
      </button>
    </>
  );
}

async function readAll(
  blobs: readonly BlobReference[],
  readBlob: (id: string, type: string) => Promise<Blob>,
): Promise<Blob> {
  return new Blob(await Promise.all(blobs.map(({ blob }) => readBlob(blob, 'text/plain'))), { type: 'text/plain' });
}
