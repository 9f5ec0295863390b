import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { Modal } from '../ui/floating/Modal.tsx';
import { useWorkHost } from '../work/work-host.ts';
import { describeFailure } from '../words/failures.ts';
import type { WholePrompt } from './prompt-answers.ts';
import { nameProblem, sourceNames } from './prompt-words.ts';

interface PromptEditorProps {
  /** The prompt to change; empty for a new one. */
  prompt: Partial<WholePrompt>;
  onClose: () => void;
  onSaved: () => void;
}

/** Writes a prompt. One of another program is only shown, and can be copied. */
export function PromptEditor({ prompt, onClose, onSaved }: PromptEditorProps): ReactElement {
  const { ask, tell } = useWorkHost();
  const [isCopy, setCopy] = useState(false);
  const [name, setName] = useState(prompt.name ?? '');
  const [description, setDescription] = useState(prompt.source === 'own' ? (prompt.description ?? '') : '');
  const [hint, setHint] = useState(prompt.argument_hint ?? '');
  const [text, setText] = useState(prompt.text ?? '');
  const [trouble, setTrouble] = useState<string>();
  const isReadOnly = prompt.source !== undefined && prompt.source !== 'own' && !isCopy;
  const wrongName = nameProblem(name);
  const title = prompt.name === undefined ? 'New prompt' : `/${prompt.name}`;
  const save = async (): Promise<void> => {
    const { model } = prompt;
    const wanted = {
      name,
      text,
      ...(description.trim() === '' ? {} : { description: description.trim() }),
      ...(hint.trim() === '' ? {} : { argument_hint: hint.trim() }),
      ...(model === undefined ? {} : { model }),
    };
    await ask('prompt.set', wanted);
    // One that got another name is not there twice.
    if (prompt.source === 'own' && prompt.name !== undefined && prompt.name !== name)
      await ask('prompt.remove', { name: prompt.name });
    onSaved();
    tell(`Saved /${name}.`);
    onClose();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTrouble(undefined);
    save().catch((error: unknown) => setTrouble(describeFailure(error)));
  };
  return (
    <Modal label={title} onClose={onClose} className="dialog-wide">
      <form className="dialog-body" onSubmit={submit}>
        <h2>{title}</h2>
        {isReadOnly && prompt.source !== undefined && (
          <p>
            A file of {sourceNames[prompt.source]}, which is changed only there: <code>{prompt.path}</code>
            {prompt.allowed_tools !== undefined && ` It asks for the tools ${prompt.allowed_tools}; Loom grants none.`}
          </p>
        )}
        <label className="dialog-field">
          Name, as it is typed behind the slash
          <input value={name} readOnly={isReadOnly} onChange={(event) => setName(event.target.value)} />
        </label>
        {wrongName !== undefined && (
          <p role="alert" className="prompt-trouble">
            {wrongName}
          </p>
        )}
        {!isReadOnly && (
          <label className="dialog-field">
            Description, may be empty
            <input
              value={description}
              placeholder="Default: its first line"
              onChange={(event) => setDescription(event.target.value)}
            />
          </label>
        )}
        <label className="dialog-field">
          Arguments it takes, may be empty
          <input
            value={hint}
            placeholder="[file] or FILE=path"
            readOnly={isReadOnly}
            onChange={(event) => setHint(event.target.value)}
          />
        </label>
        <label className="dialog-field">
          Text
          <textarea rows={10} value={text} readOnly={isReadOnly} onChange={(event) => setText(event.target.value)} />
        </label>
        {!isReadOnly && (
          <p className="prompt-note">
            <code>$ARGUMENTS</code> stands for all words behind the name, <code>$1</code> to <code>$9</code> for one
            each, <code>$FILE</code> for what is given as <code>FILE=…</code>. <code>$$1</code> is no place.
          </p>
        )}
        {trouble !== undefined && (
          <p role="alert" className="prompt-trouble">
            {trouble}
          </p>
        )}
        <div className="dialog-buttons">
          <button type="button" className="button" data-safe onClick={onClose}>
            {isReadOnly ? 'Close' : 'Cancel'}
          </button>
          {isReadOnly ? (
            // A button that became the other one while it is pressed would save at once.
            <button key="copy" type="button" className="button button-primary" onClick={() => setCopy(true)}>
              Copy to my prompts…
            </button>
          ) : (
            <button
              key="save"
              type="submit"
              className="button button-primary"
              disabled={name === '' || wrongName !== undefined || text.trim() === ''}
            >
              Save
            </button>
          )}
        </div>
      </form>
    </Modal>
  );
}
