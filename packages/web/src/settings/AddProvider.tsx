import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { setKey } from '../models/keys.ts';

/** A server that Loom does not know by name, if it speaks as OpenAI's does. */
export function AddProvider({ onDone }: { onDone: () => void }): ReactElement {
  const loom = useLoom();
  const [name, setName] = useState('');
  const [address, setAddress] = useState('');
  const [key, setText] = useState('');
  const isNamed = /^[a-z][a-z0-9-]*$/u.test(name);
  const isReady = isNamed && URL.canParse(address);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    loom.attempt(async () => {
      await loom.ask('setting.set', { key: `providers.${name}.baseURL`, value: address });
      if (key.trim() === '') await loom.models.refresh();
      else {
        const { state, message } = await setKey(loom, name, key);
        if (state === 'wrong') throw new Error(`${message} The address was kept, the key was not`);
      }
      loom.notices.tell(`${name} was added.`);
      onDone();
    });
  };
  return (
    <form className="add-provider" onSubmit={submit}>
      <p>Any server that speaks as OpenAI's does: a proxy, a router, a server in your network.</p>
      <TextField label="Name" value={name} onChange={setName} hint="lower case, such as my-server" isFirst />
      <TextField label="Address" value={address} onChange={setAddress} hint="http://192.168.1.20:8000/v1" />
      <TextField label="Key, if it needs one" value={key} onChange={setText} hint="" isSecret />
      <div className="add-provider-actions">
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
        <button type="submit" className="button button-primary" disabled={!isReady}>
          Add
        </button>
      </div>
    </form>
  );
}

interface TextFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint: string;
  isSecret?: boolean;
  /** True if the field has the focus at first. */
  isFirst?: boolean;
}

function TextField({ label, value, onChange, hint, isSecret = false, isFirst = false }: TextFieldProps): ReactElement {
  return (
    <label className="labelled-field">
      <span>{label}</span>
      <span className="field">
        <input
          type={isSecret ? 'password' : 'text'}
          autoFocus={isFirst}
          autoComplete="off"
          spellCheck={false}
          placeholder={hint}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      </span>
    </label>
  );
}
