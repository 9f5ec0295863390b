import { createHash } from 'node:crypto';
import { isPlainObject } from '@loom/blocks';
import type { Continuation, PlainObject } from '@loom/blocks';
import type { BranchSession, ProviderCall, ProviderEvent, ProviderRequest } from '@loom/kernel';
import { continuedNote, lostInText } from '../agent-cli/index.ts';
import type { AppServer } from './app-server.ts';
import { ServerRefusal } from './app-server.ts';
import { lastAnswer } from './input.ts';
import { modeOf } from './modes.ts';
import { writeSession } from './session-file.ts';

/** The way in which Codex came to know the branch. */
export type Continued = 'new' | 'resumed' | 'forked' | 'session' | 'text';

/** A thread that goes on with the branch. */
export interface OpenThread {
  readonly id: string;
  /** Its session file; `undefined` if Codex keeps none. */
  readonly path: string | undefined;
  readonly continued: Continued;
  /** Set if `codex exec` goes on with it, because there is no app-server. */
  readonly through?: 'exec';
}

/** The mark that a turn leaves on its last message. */
interface Mark {
  readonly thread: string;
  readonly turn: string;
  /** A hash of the last words, which an edit would change. */
  readonly said: string;
}

/** Returns the event that notes, on the first message of a turn, how Codex goes on with the branch. */
export function continuedEvent(continued: Continued, request: Pick<ProviderRequest, 'messages'>): ProviderEvent {
  const how = waysOf[continued];
  return continuedNote('codex', how === 'text' ? { how, loses: lostInText(request) } : { how });
}

const waysOf: Readonly<Record<Continued, Continuation['how']>> = {
  new: 'new',
  resumed: 'own-session',
  forked: 'fork',
  session: 'session',
  text: 'text',
};

/** Returns the note for the last message of a turn. */
export function noteOf(thread: OpenThread, turn: string, said: string | undefined): PlainObject {
  const { id, continued, through } = thread;
  const mark = { thread: id, turn, said: hashOf(said ?? ''), continued };
  return { codex: through === undefined ? mark : { ...mark, through } };
}

/** Returns the mark of the turn that the branch ends with; `undefined` if another one spoke last, or its words were edited. */
export function lastMark({ trail, messages, invalid }: ProviderRequest): Mark | undefined {
  const note = trail.findLast(({ note: left }) => isPlainObject(left?.['codex']))?.note?.['codex'];
  if (!isPlainObject(note)) return undefined;
  const { thread, turn, said } = note;
  const words = lastAnswer(messages);
  if (typeof thread !== 'string' || typeof turn !== 'string' || invalid.length > 0) return undefined;
  return words !== undefined && hashOf(words) === said ? { thread, turn, said } : undefined;
}

/**
 * Opens a thread for the branch: the one of its last turn if that ends there, a fork of it if it has gone on, else a session that Loom writes, and if
 * that cannot be read either, a new one which is told the branch as text.
 */
export async function openThread(server: AppServer, request: ProviderRequest, call: ProviderCall): Promise<OpenThread> {
  const settings = settingsOf(request);
  const mark = lastMark(request);
  const own = mark === undefined ? undefined : await unlessRefused(goOn(server, mark, settings));
  if (own !== undefined) return own;
  if (!request.messages.some(({ role }) => role !== 'user')) return begin(server, request, settings, 'new');
  const written = await call.session('codex', request.directory === undefined ? {} : { directory: request.directory });
  const session = written.ok ? await unlessRefused(openWritten(server, written.session, settings)) : undefined;
  return session ?? begin(server, request, settings, 'text');
}

async function goOn(server: AppServer, { thread, turn }: Mark, settings: PlainObject): Promise<OpenThread> {
  const isLoaded = server.threads.has(thread);
  const resumed = isLoaded
    ? undefined
    : await server.ask('thread/resume', { ...settings, threadId: thread, excludeTurns: true });
  const { data } = await server.ask('thread/turns/list', { threadId: thread, limit: 1 });
  const last: unknown = Array.isArray(data) ? data[0] : undefined;
  if (isPlainObject(last) && last.id === turn) {
    const path = pathOf(resumed) ?? pathOf(await server.ask('thread/read', { threadId: thread }));
    server.threads.set(thread, turn);
    return { id: thread, path, continued: 'resumed' };
  }
  const forked = await server.ask('thread/fork', {
    ...settings,
    threadId: thread,
    lastTurnId: turn,
    excludeTurns: true,
  });
  return opened(server, forked, 'forked');
}

async function begin(
  server: AppServer,
  { systemPrompt }: ProviderRequest,
  settings: PlainObject,
  continued: Continued,
): Promise<OpenThread> {
  const prompt =
    systemPrompt === undefined || systemPrompt === '' || continued !== 'new'
      ? {}
      : { developerInstructions: systemPrompt };
  return opened(server, await server.ask('thread/start', { ...settings, ...prompt }), continued);
}

async function openWritten(
  server: AppServer,
  session: BranchSession,
  settings: PlainObject,
): Promise<OpenThread | undefined> {
  const written = server.home === undefined ? undefined : await writeSession(server.home, session);
  if (written === undefined) return undefined;
  const provider = { modelProvider: await modelProvider(server) };
  const params = { ...settings, ...provider, threadId: written.id, excludeTurns: true };
  return opened(server, await server.ask('thread/resume', params), 'session');
}

/** Returns the model provider of Codex's own settings: a session that Loom wrote names none. */
async function modelProvider(server: AppServer): Promise<string> {
  const { config } = await server.ask('config/read', {});
  const named = isPlainObject(config) ? config.model_provider : undefined;
  return typeof named === 'string' && named !== '' ? named : 'openai';
}

function settingsOf({ model, directory, approvalMode }: ProviderRequest): PlainObject {
  const { approvalPolicy, sandbox } = modeOf(approvalMode);
  return {
    ...(model === 'default' ? {} : { model }),
    ...(directory === undefined ? {} : { cwd: directory }),
    approvalPolicy,
    sandbox,
  };
}

function opened(server: AppServer, answer: PlainObject, continued: Continued): OpenThread {
  const thread = isPlainObject(answer.thread) ? answer.thread : {};
  if (typeof thread.id !== 'string') throw new ServerRefusal('Codex opened a thread without an id.');
  server.threads.set(thread.id, undefined);
  return { id: thread.id, path: pathOf(answer), continued };
}

function pathOf(answer: PlainObject | undefined): string | undefined {
  const path = isPlainObject(answer?.thread) ? answer.thread.path : undefined;
  return typeof path === 'string' && path !== '' ? path : undefined;
}

/** A thread that Codex no longer has is not gone on with; other failures are. */
async function unlessRefused<T>(opening: Promise<T>): Promise<T | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof ServerRefusal) return undefined;
    throw error;
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
