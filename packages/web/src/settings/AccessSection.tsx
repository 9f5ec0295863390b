import { useCallback, useEffect, useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { z } from 'zod';
import { useLoom } from '../app/loom-context.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { locale } from '../words/locale.ts';

const tokenList = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      agent: z.string(),
      type: z.string(),
      role: z.string(),
      created_at: z.number(),
      expires_at: z.number().optional(),
    }),
  ),
});
const madeToken = z.object({ id: z.string(), token: z.string() });
type Token = z.infer<typeof tokenList>['items'][number];

const roleWords: Readonly<Record<string, string>> = {
  reader: 'reads',
  appender: 'adds messages',
  writer: 'writes and runs models',
  owner: 'does everything',
};

function dateOf(time: number): string {
  return new Date(time).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });
}

/** The browsers, programs and agents that may sign in at this server, each with a separate token. */
export function AccessSection(): ReactElement {
  const loom = useLoom();
  const [tokens, setTokens] = useState<readonly Token[]>();
  const [made, setMade] = useState<string>();
  const load = useCallback(async () => setTokens(tokenList.parse(await loom.ask('token.list', {})).items), [loom]);
  useEffect(() => loom.attempt(load), [loom, load]);
  const revoke = (id: string): void =>
    loom.attempt(async () => {
      await loom.ask('token.revoke', { id });
      await load();
      loom.notices.tell('The token no longer works.');
    });
  const create = (agent: string, role: string): void =>
    loom.attempt(async () => {
      setMade(madeToken.parse(await loom.ask('token.create', { agent, type: 'person', role })).token);
      await load();
    });
  return (
    <>
      <h2>People and access</h2>
      <p className="settings-note">
        Each browser and program signs in by a token. One that is revoked is signed out at once.
      </p>
      {tokens?.map((token) => (
        <div key={token.id} className="setting setting-line">
          <div className="grow">
            <h3>{token.agent}</h3>
            <p>
              {token.type === 'person' ? '' : `${token.type}, `}
              {roleWords[token.role] ?? token.role} · since {dateOf(token.created_at)}
              {token.expires_at !== undefined && ` · until ${dateOf(token.expires_at)}`}
            </p>
          </div>
          <button type="button" className="button button-quiet button-danger" onClick={() => revoke(token.id)}>
            Revoke
          </button>
        </div>
      ))}
      {made !== undefined && (
        <p className="made-token">
          <span>Your new token, shown only once:</span>
          <code>{made}</code>
          <CopyButton text={made} />
        </p>
      )}
      <NewToken onCreate={create} />
    </>
  );
}

function NewToken({ onCreate }: { onCreate: (agent: string, role: string) => void }): ReactElement {
  const [agent, setAgent] = useState('');
  const [role, setRole] = useState('writer');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onCreate(agent.trim(), role);
    setAgent('');
  };
  return (
    <form className="new-preset" onSubmit={submit}>
      <span className="field">
        <input
          aria-label="Name of the person"
          placeholder="Name"
          value={agent}
          onChange={(event) => setAgent(event.target.value)}
        />
      </span>
      <select aria-label="What they may do" value={role} onChange={(event) => setRole(event.target.value)}>
        {Object.entries(roleWords).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
      <button type="submit" className="button" disabled={agent.trim() === ''}>
        Make a token
      </button>
    </form>
  );
}
