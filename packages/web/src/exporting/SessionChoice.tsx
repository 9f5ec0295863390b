import { useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { saveBlob } from '../ui/save-blob.ts';
import { CopyText } from '../ui/CopyText.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { sessionFormats, shellWords } from './export-formats.ts';
import type { ExportWish } from './export-place.ts';

/** The way to continue a branch in the terminal: the commands to run, in order. */
export function SessionChoice({ wish }: { wish: ExportWish }): ReactElement {
  const [format, setFormat] = useState(sessionFormats[0]?.format ?? 'claude-code');
  return (
    <>
      <div className="segments">
        {sessionFormats.map(({ format: value, name }) => (
          <label key={value} className="segment">
            <input type="radio" name="program" checked={format === value} onChange={() => setFormat(value)} />
            <span>{name}</span>
          </label>
        ))}
      </div>
      <SessionSteps key={format} wish={wish} format={format} />
    </>
  );
}

function SessionSteps({ wish, format }: { wish: ExportWish; format: 'claude-code' | 'codex' }): ReactElement {
  const loom = useLoom();
  const place = wish.node ?? wish.root;
  const read = useCallback(() => loom.ask('export.create', { place, format }), [loom, place, format]);
  const { value, failure } = useAnswer(read);
  if (failure !== undefined) return <p role="alert">{failure}</p>;
  if (value?.session === undefined) return <p role="status">Writing the session…</p>;
  const { session, blob, media_type: type, name, notes } = value;
  const own = format === 'codex' ? '~/.codex' : '~/.claude';
  const folder = loom.conversation.getSnapshot()?.replica.root.config['directory'];
  return (
    <>
      <ol className="session-steps">
        <li>
          <p>Put the session where the program expects it:</p>
          <CommandLine text={shellWords(['loom', 'export', place, '--format', format])} />
          <p className="export-about">
            Or{' '}
            <button
              type="button"
              className="text-button"
              onClick={() => loom.attempt(async () => saveBlob(await loom.readBlob(blob, type), name))}
            >
              save the file
            </button>{' '}
            as <code>{`${own}/${session.path}`}</code>
          </p>
        </li>
        <li>
          <p>Resume it in its folder:</p>
          <CommandLine
            text={`cd ${typeof folder === 'string' ? shellWords([folder]) : '~'} && ${shellWords(session.command)}`}
          />
        </li>
      </ol>
      {notes.map((note) => (
        <p key={note} className="export-about">
          {note}
        </p>
      ))}
      <p className="export-about">Import the session later to add the new messages to this branch.</p>
    </>
  );
}

function CommandLine({ text }: { text: string }): ReactElement {
  return (
    <div className="command-line">
      <code className="grow">{text}</code>
      <CopyText text={text} />
    </div>
  );
}
