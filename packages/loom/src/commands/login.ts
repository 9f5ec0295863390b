import type { ResultOf } from '@loom/kernel';
import type { Call } from '../command-line/command.ts';
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts';
import { LoomError } from '../command-line/failure.ts';
import { suggest } from '../command-line/suggested-command.ts';
import { createModels } from '../models/models.ts';
import { planProvider } from '../models/plan-login.ts';
import { noteOf } from '../runtime/files-note.ts';
import type { Loom } from '../runtime/loom.ts';
import { withLoom } from '../runtime/sharing/shared-folder.ts';
import { systemClock } from '../runtime/system-clock.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { orFail } from '../words/refusal-error.ts';

type Login = ResultOf<'login.finish'>;

/** `loom login [provider]`: shows the page on which a person logs in, and waits until that is done. */
export async function logIn({ words, dataDir, store, isJson, terminal }: Call): Promise<ExitCode> {
  const provider = words[0] ?? planProvider;
  const models = createModels({ dataDir, env: terminal.env, clock: systemClock });
  return withLoom({ dataDir, store, models, note: noteOf(terminal, isJson) }, async (loom) => {
    const { url } = orFail(await loom.call('login.start', { provider }));
    const [{ remark } = { remark: '' }] = orFail(await loom.call('login.list', {})).items;
    if (isJson) terminal.out(`${JSON.stringify({ ok: true, provider, url, remark })}\n`);
    else {
      terminal.note(`${remark}\n`);
      terminal.out(`Log in on this page, in a browser on this machine:\n\n  ${url}\n\n`);
      terminal.note('Waiting for the browser. Ctrl-C ends this.\n');
    }
    const login = await settled(loom, provider, terminal);
    if (isJson)
      terminal.out(`${JSON.stringify({ ok: login.state === 'logged-in' && login.problem === undefined, ...login })}\n`);
    // A login that failed leaves the one before as it is.
    if (login.state !== 'logged-in' || login.problem !== undefined) {
      const advice = `${suggest(`login ${provider}`)} tries again.`;
      throw new LoomError('login-failed', login.problem ?? 'the login was cancelled', { advice });
    }
    if (!isJson) terminal.out(`Logged in${login.account === undefined ? '' : ` as ${login.account}`}.\n`);
    return EXIT.ok;
  });
}

/** Waits for the browser; Ctrl-C ends the attempt. */
async function settled(loom: Loom, provider: string, terminal: Terminal): Promise<Login> {
  const leave = terminal.onInterrupt(() => void loom.call('login.cancel', { provider }));
  try {
    for (;;) {
      const login = orFail(await loom.call('login.finish', { provider }));
      if (login.state !== 'waiting') return login;
    }
  } finally {
    leave();
  }
}

/** `loom logout [provider]`: forgets a login and takes its tokens back. */
export async function logOut({ words, dataDir, store, isJson, terminal }: Call): Promise<ExitCode> {
  const provider = words[0] ?? planProvider;
  const models = createModels({ dataDir, env: terminal.env, clock: systemClock });
  return withLoom({ dataDir, store, models, note: noteOf(terminal, isJson) }, async (loom) => {
    const { revoked } = orFail(await loom.call('login.end', { provider }));
    if (isJson) terminal.out(`${JSON.stringify({ ok: true, provider, revoked })}\n`);
    else terminal.out('Logged out.\n');
    if (!revoked)
      terminal.note(
        'The tokens are forgotten here, but the service has not confirmed that they are of no use. You can end the access in the settings of ChatGPT.\n',
      );
    return EXIT.ok;
  });
}
