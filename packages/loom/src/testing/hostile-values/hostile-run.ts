import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inspect, isDeepStrictEqual } from 'node:util';
import { describeProblems } from '@loom/blocks';
import { LoomEngine, subtree } from '@loom/kernel';
import { Forest } from '@loom/kernel/logs';
import { BlockTools, Random } from '@loom/kernel/testing';
import type {
  Clock,
  NodeState,
  Operation,
  Outcome,
  Provider,
  ProviderEvent,
  RootState,
  Tool,
  ToolPermission,
} from '@loom/kernel';
import type { Store } from '@loom/kernel/store';
import { Replica, Room } from '@loom/sync';
import { operations, paramsFor } from './operations.ts';
import type { Scene } from './operations.ts';
import { spoil, spoilt } from './spoiling.ts';

/** The number of calls until everything is closed, opened again and compared. */
const callsPerOpening = 50;

export interface HostileRun {
  /** The faults: an invalid answer, a state that was lost or differs, a conversation that does not open. */
  findings: string[];
  /** The number of times each operation was done, and refused. */
  answers: Map<string, { done: number; refused: number }>;
}

/**
 * Calls public operations with hostile values, beside a model and a tool that say hostile things, and checks that acknowledged changes can
 * be read back: the live state, the one after a restart and the one of a replica must be the same.
 */
export async function runHostileValues(options: {
  seed: number;
  calls: number;
  open: () => Promise<Store>;
  /** Plants a fault: the engine as some defect would make it. */
  plant?: (engine: LoomEngine) => void;
  /** The operations that half of the calls are about. Default: all alike. */
  rather?: readonly string[];
}): Promise<HostileRun> {
  const random = new Random(options.seed);
  const run: HostileRun = { findings: [], answers: new Map() };
  const preferred = operations.filter(({ name }) => options.rather?.includes(name) === true);
  const choose = (): Operation | undefined =>
    random.pick(preferred.length > 0 && random.chance(0.5) ? preferred : operations);
  let ids = 0;
  const nextId = (): string => String((ids += 1)).padStart(8, '0');
  let roots: Pick<Scene, 'root' | 'other' | 'blob'> | undefined;
  for (let done = 0; done < options.calls && run.findings.length === 0; done += callsPerOpening) {
    const store = await options.open();
    const engine = openEngine(store, random, nextId);
    options.plant?.(engine);
    roots ??= await begin(engine, nextId);
    await engine.recover(roots.root);
    const tools = new BlockTools({ forest: engine.forest, ids: { next: nextId } });
    const follower = new Follower(engine, tools, roots.root);
    const calls: Promise<unknown>[] = [];
    for (let call = 0; call < callsPerOpening; call += 1) {
      const state = await engine.forest.log(roots.root).state();
      await callOnce({ engine, tools, ...roots, state, random }, choose(), nextId(), run, calls);
    }
    await engine.rest();
    // A change that took long is made before the states are compared.
    await Promise.allSettled(calls);
    const live = await engine.forest.log(roots.root).state();
    run.findings.push(...(await follower.compare(live)));
    await engine.close();
    await store.close();
    run.findings.push(...(await compareReloaded(options.open, live)).map((what) => `after ${done} calls: ${what}`));
  }
  return run;
}

async function begin(engine: LoomEngine, nextId: () => string): Promise<Pick<Scene, 'root' | 'other' | 'blob'>> {
  const blob = await engine.blobs.put(new TextEncoder().encode('an output that is long'));
  const shown = { type: 'image' as const, media_type: 'text/plain', blob };
  const made: string[] = [];
  for (const systemPrompt of ['one', 'two']) {
    const created = await engine.forest.createRoot({ agent: 'person', id: nextId() }, { systemPrompt });
    if (!created.ok) throw new Error(JSON.stringify(created.refusal));
    const root = created.value.root;
    await engine.forest.append({ agent: 'person', id: nextId() }, root, {
      parent: root,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'one\n' }, ...(made.length === 0 ? [] : [shown])] }],
    });
    made.push(root);
  }
  const [root = '', other = ''] = made;
  return { root, other, blob };
}

/** Calls an operation, in most cases with something in its arguments spoilt. */
async function callOnce(
  scene: Scene,
  operation: Operation | undefined,
  id: string,
  run: HostileRun,
  calls: Promise<unknown>[],
): Promise<void> {
  const { engine, random } = scene;
  if (operation === undefined) return;
  const { name } = operation;
  const agent = random.pick(['person', 'person', 'person', 'ann', 'demo:model']);
  const whole: unknown[] = [{ agent, id }, paramsFor(scene, operation)];
  const [request, params] = listOr(random.chance(0.3) ? whole : spoil(random, whole), whole);
  const counted = run.answers.get(name) ?? { done: 0, refused: 0 };
  run.answers.set(name, counted);
  const caller = { agent: '', id: '', ...(isObject(request) ? request : {}), ...door };
  try {
    const call = engine.call(name, caller, params);
    calls.push(call);
    const outcome = await answered(call);
    if (outcome === undefined) return;
    if (outcome.ok) counted.done += 1;
    else counted.refused += 1;
    run.findings.push(
      ...wrongIn(operation, outcome).map((what) => `${name} ${what} for ${describe([request, params])}`),
    );
  } catch (error) {
    run.findings.push(`${name} threw ${String(error)} for ${describe([request, params])}`);
  }
}

const door = { type: 'person', role: 'owner', door: 'library' } as const;

/** Returns the outcome of an operation. Some wait for others that may never come: their outcome is `undefined` after a while. */
function answered(call: Promise<Outcome<unknown>>): Promise<Outcome<unknown> | undefined> {
  return new Promise((resolve, reject) => {
    let turns = 0;
    // Without a promise for each turn, and no longer than the call takes: there are thousands of both.
    const wait = (): void => {
      turns += 1;
      if (turns > mostTurns) resolve(undefined);
      else waiting = setImmediate(wait);
    };
    let waiting = setImmediate(wait);
    call.finally(() => clearImmediate(waiting)).then(resolve, reject);
  });
}

const mostTurns = 2_000;

/** Returns the parts of an answer that the row of the table does not promise. */
function wrongIn({ refusals, result }: Operation, outcome: Outcome<unknown>): string[] {
  if (!outcome.ok) {
    const { reason } = outcome.refusal;
    return refusals.includes(reason) ? [] : [`was refused with ${reason}, which it does not name,`];
  }
  const { error } = result.safeParse(outcome.value);
  return error === undefined ? [] : [`answered ${shorten(outcome.value)} (${describeProblems(error)})`];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function listOr(value: unknown, otherwise: readonly unknown[]): readonly unknown[] {
  if (!Array.isArray(value)) return otherwise;
  const list: readonly unknown[] = value;
  return list;
}

function describe(value: unknown): string {
  try {
    return write(value).slice(0, 500);
  } catch {
    return 'something that cannot be written';
  }
}

function write(value: unknown): string {
  const seen = new Set<unknown>();
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'object' && part !== null && !Array.isArray(part)) {
      if (seen.has(part)) return '(again)';
      seen.add(part);
    }
    return typeof part === 'bigint' || typeof part === 'symbol' || typeof part === 'number' ? String(part) : part;
  });
}

async function compareReloaded(open: () => Promise<Store>, live: RootState): Promise<string[]> {
  const store = await open();
  try {
    const forest = new Forest({ store, clock, ids: { next: () => 'unused' } });
    const findings: string[] = [];
    for (const { id, damaged } of await forest.listRoots()) {
      if (damaged !== undefined) findings.push(`${id} does not open any more: ${damaged}`);
    }
    const again = await forest.log(live.id).state();
    const [expected, found] = [partsOf(live), partsOf(again)];
    for (const [part, value] of Object.entries(expected)) {
      if (isDeepStrictEqual(value, found[part])) continue;
      // Turns run as fast as the machine lets them: what is found once may not be found again.
      const place = `change ${again.seq} of ${live.seq}`;
      findings.push(`what is read back at ${place} differs in ${part}: ${difference(value, found[part])}`);
    }
    return findings;
  } catch (error) {
    return [`nothing can be read back: ${String(error)}`];
  } finally {
    await store.close();
  }
}

/** The first entry that two values have differently. */
function difference(expected: unknown, found: unknown): string {
  const [one, other] = [expected, found].map((value) =>
    value instanceof Map ? new Map<unknown, unknown>(value) : new Map<unknown, unknown>([['all of it', value]]),
  );
  for (const key of new Set([...(one?.keys() ?? []), ...(other?.keys() ?? [])])) {
    const [before, after] = [one?.get(key), other?.get(key)];
    if (!isDeepStrictEqual(before, after))
      return `${String(key)} was ${inspect(before, { depth: 5 })} and is ${inspect(after, { depth: 5 })}`;
  }
  return 'only in the order of its entries';
}

/** Returns the facts of a conversation that do not depend on its source: its whole log or a snapshot. */
function partsOf(state: RootState): Record<string, unknown> {
  const children = new Map([...state.children].filter(([, ids]) => ids.length > 0));
  const { texts: _texts, history: _history, index: _index, requests: _requests, ...rest } = state;
  const { obsoleteParts: _obsolete, undoParts: _undo, keepsEdits: _keeps, shared: _shared, ...known } = rest;
  // Ids that were taken for a change which was then refused are missing nowhere, so counters may be further on.
  return { ...known, children };
}

/** A client that follows the conversation over a connection. */
class Follower {
  readonly #room: Room;
  readonly #replica: Replica;

  constructor(engine: LoomEngine, tools: BlockTools, root: string) {
    this.#room = new Room({ root, forest: engine.forest, tools, clock, limit: Infinity });
    let next = 0;
    const ids = { next: () => `follower-${(next += 1)}` };
    this.#replica = new Replica({ root, clock, ids, onLost: () => {} });
    const member = this.#room.enter(
      {
        send: ({ text }) => {
          this.#replica.receive(JSON.parse(text));
          return true;
        },
        close: () => {},
      },
      { agent: 'follower', mayWrite: false },
    );
    this.#replica.connect((text) => void member.receive(JSON.parse(text)));
  }

  async compare(live: RootState): Promise<string[]> {
    const isBehind = (): boolean => (this.#replica.cursor?.seq ?? 0) < live.seq;
    for (let turn = 0; turn < 1_000 && isBehind(); turn += 1) await nextTurn();
    const expected = live.deleted ? [] : subtree(live, live.id).map(withoutPrefixes);
    const { nodes } = this.#replica;
    this.#room.close();
    const different = expected.find((node) => !isDeepStrictEqual(node, nodes.get(node.id)));
    if (different !== undefined) {
      return [`the replica has ${shorten(nodes.get(different.id))}, not ${shorten(different)}`];
    }
    return nodes.size === expected.length ? [] : [`the replica has ${nodes.size} nodes, not ${expected.length}`];
  }
}

function shorten(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 600);
}

function withoutPrefixes(node: NodeState): NodeState {
  return { ...node, blocks: node.blocks.map(({ prefix: _prefix, ...block }) => block) };
}

function openEngine(store: Store, random: Random, nextId: () => string): LoomEngine {
  return new LoomEngine({
    store,
    clock,
    ids: { next: nextId },
    hash: { hex: (text) => hash('sha256', text) },
    providers: [spoiltProvider(random)],
    tools: [spoiltTool('echo', 'run', random), spoiltTool('inquire', 'ask', random)],
    holder: `process-${nextId()}`,
    exclusive: true,
    snapshotEvery: random.chance(0.5) ? 20 : Infinity,
  });
}

/** A model whose words are spoilt now and then. */
function spoiltProvider(random: Random): Provider {
  async function* stream(): AsyncGenerator<ProviderEvent> {
    const block = { type: 'text' as const, text: '' };
    const name = random.pick(['echo', 'inquire']) ?? '';
    const call = { type: 'tool-use' as const, id: `call-${random.below(1e6)}`, name, parameters: { a: 1 } };
    const calls = random.chance(0.4);
    const events: ProviderEvent[] = [
      { type: 'call-start' },
      { type: 'block-start', key: 'a', message: 'm', role: 'assistant', block },
      { type: 'block-delta', key: 'a', field: 'text', text: 'said\n' },
      { type: 'block-end', key: 'a', block: { ...block, text: 'said\n', provider: { spoilt: { id: 'x' } } } },
      ...(calls ? [{ type: 'block' as const, message: 'm', role: 'assistant' as const, block: call }] : []),
      { type: 'usage', usage: { input_tokens: 1, output_tokens: 2 } },
      { type: 'call-end', reason: calls ? 'tool-use' : 'stop' },
    ];
    for (const event of random.chance(0.5) ? events : spoilSome(random, events)) {
      for (let pause = random.below(4); pause > 0; pause -= 1) await nextTurn();
      yield event;
    }
  }
  return { id: 'spoilt', stream };
}

/** A tool whose results are spoilt now and then. */
function spoiltTool(name: string, permission: ToolPermission, random: Random): Tool {
  const content = [
    { type: 'text' as const, text: 'result' },
    { type: 'command' as const, command: 'ls', stdout: 'x', exit_code: 0 },
  ];
  return {
    name,
    description: 'echoes',
    parameters: { type: 'object' },
    prepare: async () => ({ permission }),
    run: async () => (random.chance(0.5) ? { content } : spoilt(random, { content, is_error: false })),
  };
}

function spoilSome<T>(random: Random, values: readonly T[]): T[] {
  const at = random.below(values.length);
  return values.map((value, index) => (index === at ? spoilt(random, value) : value));
}

/** A real clock that keeps no process alive. */
const clock: Clock = {
  now: Date.now,
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};
