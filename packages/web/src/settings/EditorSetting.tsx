import { useState } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { editorAddress, editorProblem, editors } from '../blocks/paths/editors.ts';
import { useStore } from '../stores/use-store.ts';

const own = 'own';
/** A file that shows what an address becomes. */
const sample = { path: '/home/ada/tides/src/forecast.ts', folder: '/home/ada/tides', line: 41 };

/** The editor that links of files open: one that Loom knows, or any by its address. */
export function EditorSetting(): ReactElement {
  const loom = useLoom();
  const { editor } = loom.blocks;
  const address = useStore(editor.address);
  const [written, setWritten] = useState<string>();
  const known = editors.find((one) => one.address === address);
  const isOwn = written !== undefined || (address !== undefined && known === undefined);
  const text = written ?? address ?? '';
  const problem = isOwn && text !== '' ? editorProblem(text) : undefined;
  const shown = problem === undefined ? editorAddress(text, sample.path, sample, sample.line) : undefined;
  const keep = (now: string | undefined): void => loom.attempt(() => editor.set(now));
  const choose = (value: string): void => {
    setWritten(value === own ? (address ?? '') : undefined);
    if (value !== own) keep(value === '' ? undefined : value);
  };
  return (
    <div className="setting setting-line">
      <div className="grow">
        <h3>Open files in</h3>
        <p>
          {shown === undefined
            ? 'Paths of a conversation become links to your editor. Kept in your home, for every browser.'
            : `A link looks like ${shown}`}
        </p>
      </div>
      <select
        aria-label="Open files in"
        value={isOwn ? own : (address ?? '')}
        onChange={(event) => choose(event.target.value)}
      >
        <option value="">No editor</option>
        {editors.map((one) => (
          <option key={one.name} value={one.address}>
            {one.name}
          </option>
        ))}
        <option value={own}>Another one…</option>
      </select>
      {isOwn && (
        <input
          className="editor-address mono"
          aria-label="Address of a file in the editor"
          placeholder="editor://open?file={path}&line={line}"
          value={text}
          aria-invalid={problem !== undefined}
          onChange={(event) => setWritten(event.target.value)}
          onBlur={() => {
            if (text === '' || problem === undefined) keep(text === '' ? undefined : text);
          }}
        />
      )}
      {problem !== undefined && (
        <p className="failure" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
