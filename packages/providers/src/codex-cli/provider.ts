import { rm } from 'node:fs/promises';
import { isPlainObject } from '@loom/blocks';
import type { CallError, Provider, ProviderCall, ProviderEvent, ProviderOffer, ProviderRequest } from '@loom/kernel';
import { inOrder, KeptAnswer, remarkOnVersion, runBriefly, versionIn, WarmPool } from '../agent-cli/index.ts';
import type { AgentProgram } from '../agent-cli/index.ts';
import { terminalCommand } from './terminal-command.ts';
import { AppServer, ServerGone, ServerRefusal } from './app-server.ts';
import { continuationOf } from './continuation.ts';
import { lastMark, openThread } from './continuing.ts';
import type { OpenThread } from './continuing.ts';
import { execModes, execRemark, threadForExec, threadWithoutSession } from './exec-order.ts';
import { ExecTurn } from './exec-turn.ts';
import { goneError, startError } from './failures.ts';
import { offeredModes } from './modes.ts';
import { beginSession, homeOf } from './session-file.ts';
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
    async continuation(branch) {
      const { remark } = await offers.get();
      return continuationOf(homeOf(program.environment), remark?.includes(execRemark) !== true, branch);
    },
    terminalCommand: (branch) => terminalCommand(program, branch),
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
  const leave = endWith(call.signal, () => server);
  try {
    const mark = lastMark(request);
    server = mark === undefined ? undefined : pool.take(nameOf(request, mark.thread));
    if (server === undefined) {
      const started = await startServer(options, request.directory, call.signal);
      if (started.type === 'error') {
        yield { type: 'call-error', error: started.error };
        return;
      }
      if (started.type === 'none') {
        yield* speakThroughExec(options, request, call);
        return;
      }
      ({ server } = started);
    }
    thread = await openThread(server, request, call);
    leave();
    turn = new CodexTurn({ server, thread, request, call, clock: options.program.clock });
    yield* inOrder(turn.run());
  } catch (error) {
    yield { type: 'call-error', error: call.signal.aborted ? stopped : failureOf(error) };
  } finally {
    leave();
    // The listener leaves with the last event: nothing behind that event is run but this.
    if (server !== undefined && thread !== undefined && turn?.isWhole === true)
      pool.keep(nameOf(request, thread.id), server);
    else await server?.stop();
  }
}

/** Ends a program when the turn is stopped before it is asked anything: one that does not answer is not waited for. */
function endWith(signal: AbortSignal | undefined, server: () => AppServer | undefined): () => void {
  const stop = (): void => void server()?.stop();
  signal?.addEventListener('abort', stop);
  return () => signal?.removeEventListener('abort', stop);
}

const stopped: CallError = { code: 'stopped', message: 'It was told to stop.' };

type Started =
  | { readonly type: 'server'; readonly server: AppServer }
  | { readonly type: 'error'; readonly error: CallError }
  /** There is no app-server, or one that is too old. */
  | { readonly type: 'none' };

/** Starts an app-server in which a person is logged in. */
async function startServer(
  { program, version }: CodexOptions,
  directory: string,
  signal?: AbortSignal,
): Promise<Started> {
  let server: AppServer | undefined;
  let kept = false;
  const leave = endWith(signal, () => server);
  try {
    const started = await AppServer.start(program, directory, {
      version,
      ...(signal === undefined ? {} : { signal }),
    });
    if (!started.ok) return { type: 'error', error: startError(program.command[0] ?? 'codex', started.refusal) };
    ({ server } = started);
    const error = await loginProblem(server);
    if (error !== undefined) return { type: 'error', error };
    kept = true;
    return { type: 'server', server };
  } catch (error) {
    if (signal?.aborted === true) return { type: 'error', error: stopped };
    // A program that ends for another reason ends in the same way without its app-server, and says why.
    if (error instanceof ServerGone || error instanceof ServerRefusal) return { type: 'none' };
    throw error;
  } finally {
    leave();
    if (!kept) await server?.stop();
  }
}

async function* speakThroughExec(
  { program }: CodexOptions,
  request: ProviderRequest & { directory: string },
  call: ProviderCall,
): AsyncGenerator<ProviderEvent> {
  const home = homeOf(program.environment);
  let thread = await threadForExec(home, request, call);
  for (;;) {
    const { id, continued } = thread;
    // Known before anything is said in it: a Loom that is killed in between would else meet it as another conversation.
    if (id !== undefined) yield { type: 'session', source: 'codex', id };
    const place = { directory: request.directory, now: program.clock.now() };
    const begun = id === undefined || continued !== 'new' ? undefined : await beginSession(home, id, place);
    if (begun !== undefined) thread = { ...thread, path: begun };
    const turn = new ExecTurn({ program, thread, request, call });
    try {
      const started = await turn.start();
      if (!started.ok) {
        yield { type: 'call-error', error: startError(program.command[0] ?? 'codex', started.refusal) };
        return;
      }
      const other = threadWithoutSession(thread);
      if (started.isHeard || other === undefined || call.signal.aborted) {
        yield* inOrder(turn.run());
        return;
      }
      if (begun !== undefined) await rm(begun, { force: true });
      thread = other;
    } finally {
      await turn.stop();
    }
  }
}

/** A process goes on with one thread of one conversation, in one folder; the model and the mode are told with every turn. */
function nameOf({ root, directory }: { root: string; directory: string }, thread: string): string {
  return JSON.stringify([root, thread, directory]);
}

function failureOf(error: unknown): CallError {
  if (error instanceof ServerGone) return goneError(error);
  if (error instanceof ServerRefusal) return { code: 'invalid-request', message: `Codex refused: ${error.message}` };
  throw error;
}

/** Returns the failure of a Codex that nobody has logged in to; its login is never read, only asked for. */
async function loginProblem(server: AppServer): Promise<CallError | undefined> {
  const { account, requiresOpenaiAuth } = await server.ask('account/read', {});
  if (requiresOpenaiAuth !== true || (account !== null && account !== undefined)) return undefined;
  return { code: 'auth', message: signIn, final: true, detail: { agent: 'Codex', login: 'codex login' } };
}

const signIn = 'Codex is not logged in. Run: codex login';

async function askOffers(options: CodexOptions): Promise<ProviderOffer> {
  const { program, directory } = options;
  const name = program.command[0] ?? 'codex';
  const asked = await runBriefly(program, ['--version'], { directory, time: 10_000 });
  if (!asked.ok) return missing(startError(name, asked.refusal).message);
  const found = versionIn(asked.stdout);
  if (found === undefined)
    return missing(`${name} does not say which version of Codex it is: ${asked.stderr.slice(-300)}`);
  const remarks = (...more: string[]): { remark?: string } => {
    const all = [remarkOnVersion('Codex', found, triedVersions), ...more].filter((each) => each !== undefined);
    return all.length === 0 ? {} : { remark: all.join(' ') };
  };
  const ownModel = { name: 'default', about: 'the model of your Codex settings' };
  const state = { type: 'installed', version: found } as const;
  const started = await startServer(options, directory);
  if (started.type === 'error')
    return started.error.code === 'auth' ? loggedOut(started.error.message) : missing(started.error.message);
  if (started.type === 'none') return { state, ...remarks(execRemark), models: [ownModel], modes: execModes };
  const { server } = started;
  try {
    const { data } = await server.ask('model/list', {});
    return { state, ...remarks(), models: [ownModel, ...modelsOf(data)], modes: offeredModes };
  } catch (error) {
    return missing(`${name} ${found} does not answer: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await server.stop();
  }
}

function loggedOut(message: string): ProviderOffer {
  return { state: { type: 'missing', message, needs: 'login' } };
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
