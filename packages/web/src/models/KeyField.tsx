import { useId, useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { describeFailure } from '../words/failures.ts';
import { useStore } from '../stores/use-store.ts';
import { setKey } from './keys.ts';
import { isKey, providerOfKey } from './key-kinds.ts';
import type { KeyCheck } from './model-answers.ts';
import { providerName } from './model-words.ts';

interface KeyFieldProps {
  /** The provider of the key, if known; else it is recognized by the key, or asked for. */
  provider?: string;
  /** True if the key was asked for: the next text typed is the key. */
  isWanted?: boolean;
  /** `isChecked`: its provider has taken it. */
  onSaved?: (provider: string, isChecked: boolean) => void;
}

type Progress = { state: 'idle' } | { state: 'checking' } | { state: 'told'; check: KeyCheck };

/** Takes a key, and has it checked as soon as it is pasted. The key is never shown. */
export function KeyField({ provider: given, isWanted = false, onSaved }: KeyFieldProps): ReactElement {
  const loom = useLoom();
  const { providers } = useStore(loom.models.known);
  const [key, setText] = useState('');
  const [chosen, setChosen] = useState('');
  const [progress, setProgress] = useState<Progress>({ state: 'idle' });
  const noteId = useId();
  const provider = given ?? (chosen === '' ? providerOfKey(key) : chosen);
  const isUnclear = given === undefined && isKey(key) && providerOfKey(key) === undefined;
  const save = (owner: string | undefined, text: string): void => {
    if (owner === undefined || !isKey(text)) return;
    setProgress({ state: 'checking' });
    loom.attempt(async () => {
      const check = await setKey(loom, owner, text).catch((error: unknown): KeyCheck => ({
        state: 'wrong',
        message: describeFailure(error),
      }));
      setProgress({ state: 'told', check });
      if (check.state === 'wrong') return;
      setText('');
      onSaved?.(owner, check.state === 'works');
    });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save(provider, key);
  };
  return (
    <form className="key-field" onSubmit={submit}>
      <div className="field">
        <input
          type="password"
          autoFocus={isWanted}
          autoComplete="off"
          spellCheck={false}
          aria-label={given === undefined ? 'API key' : `Key of ${providerName(given)}`}
          aria-describedby={noteId}
          placeholder="Paste a key"
          value={key}
          onChange={(event) => {
            setText(event.target.value);
            setProgress({ state: 'idle' });
          }}
          onPaste={(event) => {
            const text = event.clipboardData.getData('text');
            save(given ?? providerOfKey(text), text);
          }}
        />
      </div>
      {isUnclear && (
        <select aria-label="Whose key is it" value={chosen} onChange={(event) => setChosen(event.target.value)}>
          <option value="">Whose key is it?</option>
          {providers
            .filter(({ local }) => !local)
            .map(({ name }) => (
              <option key={name} value={name}>
                {providerName(name)}
              </option>
            ))}
        </select>
      )}
      {key !== '' && progress.state !== 'checking' && (
        <button type="submit" className="button" disabled={provider === undefined || !isKey(key)}>
          Check and save
        </button>
      )}
      <p
        id={noteId}
        role="status"
        className={progress.state === 'told' && progress.check.state === 'wrong' ? 'key-note key-note-bad' : 'key-note'}
      >
        {noteOf(progress, provider)}
      </p>
    </form>
  );
}

function noteOf(progress: Progress, provider: string | undefined): string {
  if (progress.state === 'checking') return `Asking ${providerName(provider ?? 'the provider')}…`;
  if (progress.state === 'idle') return provider === undefined ? '' : `A key of ${providerName(provider)}.`;
  const { state, message } = progress.check;
  if (state === 'wrong') return `${message} It was not kept.`;
  return state === 'works' ? message : `${message} It was kept, and could not be checked.`;
}
