import { useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import { useHome } from '../blocks/ask/use-home.ts';
import { FilePath } from '../blocks/paths/FilePath.tsx';
import { useHomeChanges } from '../stores/use-home-changes.ts';
import { useAnswer } from '../ui/use-answer.ts';
import { Waiting } from '../ui/Waiting.tsx';
import { useWorkHost } from '../work/work-host.ts';
import { changedPrompt, promptList, wholePrompt } from './prompt-answers.ts';
import type { ListedPrompt, WholePrompt } from './prompt-answers.ts';
import { PromptEditor } from './PromptEditor.tsx';
import { isChangeable, skippedWords, sourceNames } from './prompt-words.ts';
import './prompts.css';

/** The library of prompts: one's own, which are written here, and those of other programs, which are only read. */
export function PromptsSection(): ReactElement {
  const { ask, attempt, tell } = useWorkHost();
  const read = useCallback(async () => promptList.parse(await ask('prompt.list', {})), [ask]);
  const library = useAnswer(read);
  useHomeChanges('prompts/', library.again);
  const [edited, setEdited] = useState<Partial<WholePrompt>>();
  const open = ({ name, source }: ListedPrompt): void =>
    attempt(async () => setEdited(wholePrompt.parse(await ask('prompt.get', { name, source }))));
  const remove = ({ name }: ListedPrompt): void =>
    attempt(async () => {
      const { before } = changedPrompt.parse(await ask('prompt.remove', { name }));
      library.again();
      const undo = async (): Promise<void> => {
        await ask('prompt.set', before);
        library.again();
      };
      tell(`Deleted /${name}.`, before === undefined ? undefined : { label: 'Undo', run: () => attempt(undo) });
    });
  return (
    <>
      <div className="settings-head">
        <h2 className="grow">Prompts</h2>
        <button type="button" className="button" onClick={() => setEdited({})}>
          New prompt…
        </button>
      </div>
      <p className="settings-note">
        A prompt is a text that you send again. Type / and its name into a message: its text comes into the field, with
        the words behind the name in their places, and you read it before it is sent.
      </p>
      <Waiting answer={library}>
        {({ items, skipped }) => (
          <>
            {items.length === 0 && (
              <p className="settings-empty">
                There are no prompts yet. Those of Claude Code and Codex are shown here, too.
              </p>
            )}
            <ul className="prompt-list">
              {items.map((prompt) => (
                <li key={`${prompt.source} ${prompt.name}`} className="setting setting-line">
                  <PromptLine prompt={prompt} />
                  <button
                    type="button"
                    className="button"
                    aria-label={`${isChangeable(prompt) ? 'Edit' : 'View'} /${prompt.name}`}
                    onClick={() => open(prompt)}
                  >
                    {isChangeable(prompt) ? 'Edit…' : 'View…'}
                  </button>
                  {isChangeable(prompt) && (
                    <button
                      type="button"
                      className="button button-quiet button-danger"
                      aria-label={`Delete /${prompt.name}`}
                      onClick={() => remove(prompt)}
                    >
                      Delete
                    </button>
                  )}
                </li>
              ))}
            </ul>
            {skipped.length > 0 && (
              <details className="prompt-skipped">
                <summary>Files that were left out</summary>
                <ul>
                  {skipped.map((file) => (
                    <li key={file.path}>{skippedWords(file)}</li>
                  ))}
                </ul>
              </details>
            )}
          </>
        )}
      </Waiting>
      {edited !== undefined && (
        <PromptEditor prompt={edited} onClose={() => setEdited(undefined)} onSaved={library.again} />
      )}
    </>
  );
}

function PromptLine({ prompt }: { prompt: ListedPrompt }): ReactElement {
  const { name, source, description, argument_hint: hint, hidden, path } = prompt;
  const home = useHome();
  return (
    <div className="grow prompt-line">
      <h3>
        <code>/{name}</code> {hint !== undefined && <span className="prompt-hint">{hint}</span>}{' '}
        {source !== 'own' && <span className="chip">{sourceNames[source]}, read only</span>}{' '}
        {hidden === true && <span className="chip">another of this name comes first</span>}
      </h3>
      <p>{description}</p>
      {path !== undefined && (
        <p className="prompt-path">
          <FilePath path={path} home={home} />
        </p>
      )}
    </div>
  );
}
