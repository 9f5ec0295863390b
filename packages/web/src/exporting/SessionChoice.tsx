import { useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { saveBlob } from '../ui/save-blob.ts';
import { CopyText } from '../ui/CopyText.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { count } from '../words/amounts.ts';
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
  const [isReplaced, setReplaced] = useState(false);
  const read = useCallback(
    () => loom.ask('export.create', { place, format, replace_secrets: isReplaced }),
    [loom, place, format, isReplaced],
  );
  const { value, failure } = useAnswer(read);
  if (failure !== undefined) return <p role="alert">{failure}</p>;
  if (value?.session === undefined) return <p role="status">Writing the session…</p>;
  const { session, blob, media_type: type, name, notes, secrets } = value;
  const total = secrets.reduce((sum, { count: each }) => sum + each, 0);
  const words = ['loom', 'export', place, '--format', format, ...(isReplaced ? ['--replace-secrets'] : [])];
  const own = format === 'codex' ? '~/.codex' : '~/.claude';
  const folder = loom.conversation.getSnapshot()?.replica.root.config['directory'];
  return (
    <>
      {total > 0 && (
        <label className="session-secrets">
          <input type="checkbox" checked={isReplaced} onChange={(event) => setReplaced(event.target.checked)} />
          <span>
            {count(total, 'secret')} in this session. Replace {total === 1 ? 'it' : 'them'} by ••••
          </span>
        </label>
      )}
      <ol className="session-steps">
        <li>
          <p>Put the session where the program expects it:</p>
          <CommandLine text={shellWords(words)} />
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
      {!(isReplaced && total > 0) && (
        <p className="export-about">Import the session later to add the new messages to this branch.</p>
      )}
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
