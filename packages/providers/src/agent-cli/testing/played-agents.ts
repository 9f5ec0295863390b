import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { Provider, ProviderCall, ProviderEvent, ProviderRequest } from '@loom/kernel';
import { createClaudeProvider } from '../../claude-cli/index.ts';
import { createCodexProvider } from '../../codex-cli/index.ts';
import { hastyClock } from '../../codex-cli/testing/fake-codex.ts';
import { playedPrograms } from './played-program.ts';

/** A recorded stream of an agent, and a provider over it whose program prints the stream in these pieces, then ends. */
export interface PlayedAgent {
  readonly name: string;
  readonly stream: Uint8Array;
  readonly provider: (pieces: Iterable<Uint8Array>) => Provider;
}

const captures = process.env['LOOM_CAPTURES'] ?? join(import.meta.dirname, '../../../../../../shared/captures');

/** The reason tests over captures are skipped, or `false`. */
export const noStreams = existsSync(join(captures, 'claude'))
  ? false
  : 'no captures of agent CLIs here: put them into ../shared/captures or set LOOM_CAPTURES';

/** Returns all recorded streams: each run of Claude Code and of `codex exec`, and each turn of the app-server of Codex. */
export function playedAgents(): PlayedAgent[] {
  if (noStreams !== false) return [];
  return [...claudeRuns(), ...codexTurns(), ...execRuns()];
}

function claudeRuns(): PlayedAgent[] {
  return readdirSync(join(captures, 'claude'))
    .sort()
    .map((name) => ({ name, file: join(captures, 'claude', name, 'stdout.ndjson') }))
    .filter(({ file }) => existsSync(file))
    .map(({ name, file }) => ({
      name,
      stream: readFileSync(file),
      provider: (pieces) => {
        const login = { pieces: [encode({ loggedIn: true })], ends: true };
        const plays = ({ type }: PlainObject) => (type === 'user' ? { pieces, ends: true } : undefined);
        const processes = playedPrograms(
          () => plays,
          ([word]) => (word === 'auth' ? login : undefined),
        );
        return createClaudeProvider({ program: program(processes), directory: '/' });
      },
    }));
}

function codexTurns(): PlayedAgent[] {
  const file = join(captures, 'codex', 'x20-appserver', 'stdout.ndjson');
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const turns: { thread: string; turn: string; lines: string[] }[] = [];
  for (const line of lines) {
    const message: unknown = JSON.parse(line);
    if (!isPlainObject(message)) continue;
    const { method, params } = message;
    const { threadId, turn } = isPlainObject(params) ? params : {};
    if (method === 'turn/started' && isPlainObject(turn))
      turns.push({ thread: String(threadId), turn: String(turn['id']), lines: [] });
    if (typeof method === 'string') turns.at(-1)?.lines.push(line);
  }
  return turns.map(({ thread, turn, lines: said }) => ({
    name: `codex ${turn}`,
    stream: Buffer.from(`${said.join('\n')}\n`),
    provider: (pieces) => {
      const results: Readonly<Record<string, PlainObject>> = {
        initialize: { codexHome: '/nowhere' },
        'account/read': { requiresOpenaiAuth: false },
        'thread/start': { thread: { id: thread, path: null } },
        'turn/start': { turn: { id: turn } },
      };
      const plays = ({ id, method }: PlainObject) => {
        if (typeof method !== 'string' || id === undefined) return undefined;
        const answer = encode({ id, result: results[method] ?? {} });
        return method === 'turn/start' ? { pieces: chain(answer, pieces), ends: true } : { pieces: [answer] };
      };
      const processes = playedPrograms(() => plays);
      return createCodexProvider({ program: program(processes), version: '0.1.0', directory: '/' });
    },
  }));
}

/** Each run of `codex exec --json`, by a Codex that has no app-server and keeps no sessions: its lines alone count. */
function execRuns(): PlayedAgent[] {
  const home = mkdtempSync(join(tmpdir(), 'loom-played-'));
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  return readdirSync(join(captures, 'codex'))
    .sort()
    .map((name) => ({ name, file: join(captures, 'codex', name, 'stdout.ndjson') }))
    .filter(({ name, file }) => name !== 'x20-appserver' && existsSync(file))
    .map(({ name, file }) => ({
      name: `codex exec ${name}`,
      stream: readFileSync(file),
      provider: (pieces) => {
        const processes = playedPrograms(
          () => () => undefined,
          ([word]) => (word === 'exec' ? { pieces, ends: true } : { pieces: [], ends: true }),
        );
        const parts = { ...program(processes), environment: { CODEX_HOME: home } };
        return createCodexProvider({ program: parts, version: '0.1.0', directory: '/' });
      },
    }));
}

/** Limits of time that real programs get are never reached; short pauses are over at once. */
const clock = {
  ...hastyClock,
  after: (delay: number, run: () => void) => (delay > 1_000 ? () => {} : hastyClock.after(delay, run)),
};

function program(processes: ReturnType<typeof playedPrograms>) {
  return { command: ['agent'], environment: {}, processes, clock };
}

function* chain(first: Uint8Array, rest: Iterable<Uint8Array>): Generator<Uint8Array> {
  yield first;
  yield* rest;
}

function encode(value: PlainObject): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

const request: ProviderRequest = {
  root: 'r',
  node: 'n',
  model: 'default',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }],
  tools: [],
  settings: {},
  invalid: [],
  trail: [],
};

/** Lets an agent speak until its last event; every question is approved. */
export async function hear(provider: Provider): Promise<ProviderEvent[]> {
  const call: ProviderCall = {
    signal: new AbortController().signal,
    blobs: {
      get: () => Promise.resolve(undefined),
      put: () => Promise.resolve(`sha256:${'0'.repeat(64)}`),
      size: () => Promise.resolve(undefined),
      create: () => Promise.reject(new Error('nothing is kept here')),
    },
    steering: (async function* () {})(),
    decide: () => Promise.resolve({ decision: 'approved', by: 'person' }),
    session: () => Promise.resolve({ ok: false, refusal: { reason: 'nothing-said' } }),
    record: () => {},
  };
  const events: ProviderEvent[] = [];
  for await (const event of provider.stream(request, call)) {
    events.push(event);
    if (event.type === 'call-end' || event.type === 'call-error') break;
  }
  await provider.close?.();
  return events;
}
