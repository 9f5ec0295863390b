import { useEffect, useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { allowLogin, cancelLogin, endLogin, finishLogin, listLogins, startLogin } from '../models/logins.ts';
import type { LoginInfo } from '../models/logins.ts';
import type { ModelInfo, ProviderInfo } from '../models/model-answers.ts';
import { providerName } from '../models/model-words.ts';
import { describeFailure } from '../words/failures.ts';
import { Icon } from '../ui/Icon.tsx';
import { Switch } from '../ui/Switch.tsx';
import { ModelTable } from './ModelTable.tsx';

interface LoginSectionProps {
  providers: readonly ProviderInfo[];
  models: readonly ModelInfo[];
}

/** The logins that stand in for a key: off until they are switched on. */
export function LoginSections({ providers, models }: LoginSectionProps): ReactElement {
  const loom = useLoom();
  const [logins, setLogins] = useState<readonly LoginInfo[]>([]);
  useEffect(() => loom.attempt(async () => setLogins(await listLogins(loom))), [loom]);
  return (
    <>
      {logins.map((login) => (
        <LoginSection
          key={login.provider}
          login={login}
          provider={providers.find(({ name }) => name === login.provider)}
          models={models.filter(({ provider }) => provider === login.provider)}
          onChange={async () => setLogins(await listLogins(loom))}
        />
      ))}
    </>
  );
}

interface OneLoginProps {
  login: LoginInfo;
  provider: ProviderInfo | undefined;
  models: readonly ModelInfo[];
  onChange: () => Promise<void>;
}

function LoginSection({ login, provider, models, onChange }: OneLoginProps): ReactElement {
  const loom = useLoom();
  const [page, setPage] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const { state } = login;
  const title = providerName(login.provider);
  const act = (work: () => Promise<void>): void => {
    setBusy(true);
    setProblem(undefined);
    void work()
      .catch((error: unknown) => setProblem(describeFailure(error)))
      .then(onChange)
      .catch((error: unknown) => setProblem(describeFailure(error)))
      .finally(() => setBusy(false));
  };
  const wait = async (): Promise<void> => {
    for (;;) {
      const found = await finishLogin(loom, login);
      if (found.state !== 'waiting') break;
    }
    setPage(undefined);
    await onChange();
  };
  const begin = async (): Promise<void> => {
    const url = await startLogin(loom, login);
    setPage(url);
    void wait().catch((error: unknown) => setProblem(describeFailure(error)));
  };
  const told = problem ?? login.problem;
  return (
    <section className="provider" aria-label={title}>
      <div className="provider-head">
        <Icon name="key" />
        <h3>{title}</h3>
        <span className="grow cut provider-about">{aboutOf(login)}</span>
        <StateChip login={login} />
        {(state === 'logged-out' || (state === 'logged-in' && login.plan === false)) && (
          <button type="button" className="button" disabled={isBusy} onClick={() => act(begin)}>
            Continue with ChatGPT
          </button>
        )}
        {state === 'waiting' && (
          <button
            type="button"
            className="button"
            disabled={isBusy}
            onClick={() => act(() => cancelLogin(loom, login))}
          >
            Cancel
          </button>
        )}
        {state === 'logged-in' && (
          <button
            type="button"
            className="button button-quiet"
            disabled={isBusy}
            onClick={() =>
              act(async () => {
                if (!(await endLogin(loom, login))) setProblem(notConfirmed);
              })
            }
          >
            Log out
          </button>
        )}
        <Switch
          label={`Log in with ${title}`}
          isOn={state !== 'off'}
          isOff={isBusy}
          onChange={(isOn) => act(() => allowLogin(loom, login, isOn))}
        />
      </div>
      <p className="settings-note">{login.remark}</p>
      {told !== undefined && (
        <p className="settings-failure" role="alert">
          {told}
        </p>
      )}
      {state === 'waiting' && <Return page={page} onBring={(address) => act(() => bring(address))} />}
      {provider !== undefined && <ModelTable provider={provider} models={models} />}
    </section>
  );

  async function bring(address: string): Promise<void> {
    await finishLogin(loom, login, address);
    setPage(undefined);
  }
}

/** The page on which to log in, and the way back from a browser on another machine. */
function Return({ page, onBring }: { page: string | undefined; onBring: (address: string) => void }): ReactElement {
  const [address, setAddress] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onBring(address);
  };
  return (
    <form className="key-field" onSubmit={submit}>
      {page !== undefined && (
        <a className="button" href={page} target="_blank" rel="noreferrer">
          Open the login page
        </a>
      )}
      <div className="field">
        <input
          type="text"
          autoComplete="off"
          spellCheck={false}
          aria-label="Address that the browser was sent to"
          placeholder="http://127.0.0.1:…"
          value={address}
          onChange={(event) => setAddress(event.target.value)}
        />
      </div>
      <button type="submit" className="button" disabled={!address.trim().startsWith('http://127.0.0.1:')}>
        Finish
      </button>
      <p className="key-note" role="status">
        Log in on that page. If its browser is not on the machine that Loom runs on, it ends at an address that cannot
        be opened: paste that here.
      </p>
    </form>
  );
}

const notConfirmed =
  'The tokens are forgotten here, but ChatGPT has not confirmed that they are of no use. You can end the access in its settings.';

function StateChip({ login: { state, plan } }: { login: LoginInfo }): ReactElement {
  if (state === 'off') return <span className="chip">Off</span>;
  if (state === 'waiting') return <span className="chip chip-waiting">Waiting for the browser</span>;
  if (state === 'logged-out') return <span className="chip">Not logged in</span>;
  return plan === true ? (
    <span className="chip">Logged in</span>
  ) : (
    <span className="chip chip-waiting">Not allowed</span>
  );
}

function aboutOf({ state, account }: LoginInfo): string {
  if (state === 'off') return 'your plan pays, in place of a key';
  if (state === 'logged-in') return account === undefined ? 'using your plan' : `using the plan of ${account}`;
  return 'no key: you log in with OpenAI';
}
