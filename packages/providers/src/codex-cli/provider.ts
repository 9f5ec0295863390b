import { isPlainObject } from '@loom/blocks';
import type { CallError, Provider, ProviderCall, ProviderEvent, ProviderOffer, ProviderRequest } from '@loom/kernel';
import { KeptAnswer, remarkOnVersion, runBriefly, versionIn, WarmPool } from '../agent-cli/index.ts';
import type { AgentProgram } from '../agent-cli/index.ts';
import { AppServer, ServerGone, ServerRefusal } from './app-server.ts';
import { lastMark, openThread } from './continuing.ts';
import type { OpenThread } from './continuing.ts';
import { goneError, startError } from './failures.ts';
import { offeredModes } from './modes.ts';
import { CodexTurn } from './turn.ts';

/** The versions of Codex that Loom was tried with. */
const triedVersions = { oldest: '0.166.0', newest: '0.169.0' };

export interface CodexOptions {
  /** The person's own Codex. */
  readonly program: AgentProgram;
  /** The version of Loom, which Codex is told. */
  readonly version: string;
  /** The folder of conversations that have none. */
  readonly directory: string;
}

/** Speaks through the person's own Codex, with the login that it has. */
export function createCodexProvider(options: CodexOptions): Provider {
  const { program, directory: otherwise } = options;
  const pool = new WarmPool<AppServer>(program.clock);
  const offers = new KeptAnswer<ProviderOffer>(
    program.clock,
    () => askOffers(options),
    ({ state }) => state.type === 'installed',
  );
  return {
    id: 'codex',
    runsTools: true,
    offers: () => offers.get(),
    stream: (request, call) => speak(options, pool, { ...request, directory: request.directory ?? otherwise }, call),
    close: () => pool.close(),
  };
}

async function* speak(
  options: CodexOptions,
  pool: WarmPool<AppServer>,
  request: ProviderRequest & { directory: string },
  call: ProviderCall,
): AsyncGenerator<ProviderEvent> {
  yield { type: 'call-start' };
  let server: AppServer | undefined;
  let thread: OpenThread | undefined;
  let turn: CodexTurn | undefined;
  try {
    const mark = lastMark(request);
    server = mark === undefined ? undefined : pool.take(nameOf(request, mark.thread));
    if (server === undefined) {
      const started = await AppServer.start(options.program, request.directory, options.version);
      if (!started.ok) {
        yield { type: 'call-error', error: startError(options.program.command[0] ?? 'codex', started.refusal) };
        return;
      }
      ({ server } = started);
      const signedOut = await loginProblem(server);
      if (signedOut !== undefined) {
        yield { type: 'call-error', error: signedOut };
        return;
      }
    }
    thread = await openThread(server, request, call);
    turn = new CodexTurn({ server, thread, request, call, clock: options.program.clock });
    yield* turn.run();
  } catch (error) {
    yield { type: 'call-error', error: failureOf(error) };
  } finally {
    // The listener leaves with the last event: nothing behind that event is run but this.
    if (server !== undefined && thread !== undefined && turn?.isWhole === true)
      pool.keep(nameOf(request, thread.id), server);
    else await server?.stop();
  }
}

/** A process goes on with one thread of one conversation, in one folder; the model and the mode are told with every turn. */
function nameOf({ root, directory }: { root: string; directory: string }, thread: string): string {
  return JSON.stringify([root, thread, directory]);
}

function failureOf(error: unknown): CallError {
  if (error instanceof ServerGone) return goneError(error.complaints);
  if (error instanceof ServerRefusal) return { code: 'invalid-request', message: `Codex refused: ${error.message}` };
  throw error;
}

/** Returns the failure of a Codex that nobody has logged in to; its login is never read, only asked for. */
async function loginProblem(server: AppServer): Promise<CallError | undefined> {
  const { account, requiresOpenaiAuth } = await server.ask('account/read', {});
  if (requiresOpenaiAuth !== true || (account !== null && account !== undefined)) return undefined;
  return { code: 'auth', message: signIn, final: true };
}

const signIn = 'Codex is not logged in. Run: codex login';

async function askOffers({ program, version, directory }: CodexOptions): Promise<ProviderOffer> {
  const name = program.command[0] ?? 'codex';
  const asked = await runBriefly(program, ['--version'], { directory, time: 10_000 });
  if (!asked.ok) return missing(startError(name, asked.refusal).message);
  const found = versionIn(asked.stdout);
  if (found === undefined)
    return missing(`${name} does not say which version of Codex it is: ${asked.stderr.slice(-300)}`);
  try {
    const started = await AppServer.start(program, directory, version);
    if (!started.ok) return missing(startError(name, started.refusal).message);
    const { server } = started;
    try {
      const problem = await loginProblem(server);
      if (problem !== undefined) return missing(problem.message);
      const { data } = await server.ask('model/list', {});
      const remark = remarkOnVersion('Codex', found, triedVersions);
      return {
        state: { type: 'installed', version: found },
        ...(remark === undefined ? {} : { remark }),
        models: [{ name: 'default', about: 'the model of your Codex settings' }, ...modelsOf(data)],
        modes: offeredModes,
      };
    } finally {
      await server.stop();
    }
  } catch (error) {
    return missing(`${name} ${found} does not answer: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function missing(message: string): ProviderOffer {
  return { state: { type: 'missing', message } };
}

function modelsOf(data: unknown): NonNullable<ProviderOffer['models']> {
  return (Array.isArray(data) ? data : []).filter(isPlainObject).flatMap(({ model, description, hidden }) => {
    if (typeof model !== 'string' || hidden === true) return [];
    return [{ name: model, ...(typeof description === 'string' && description !== '' ? { about: description } : {}) }];
  });
}
