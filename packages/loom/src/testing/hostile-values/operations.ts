import { kernelOperations } from '@loom/kernel';
import type { LoomEngine, Operation, RootState } from '@loom/kernel';
import type { BlockTools, Aim, Random } from '@loom/kernel/testing';
import { generateParams } from '@loom/kernel/testing';

/** The targets of an operation. */
export interface Scene {
  engine: LoomEngine;
  tools: BlockTools;
  root: string;
  /** Another conversation. */
  other: string;
  /** A blob of text. */
  blob: string;
  state: RootState;
  random: Random;
}

/** The whole table: a row that is added is called without another line here. */
export const operations: readonly Operation[] = kernelOperations;

/** Returns parameters that an operation would accept, as far as its schema tells; better ones where they are hard to guess. */
export function paramsFor(scene: Scene, { name, params }: Operation): unknown {
  const { random } = scene;
  const given = generateParams(random, params, aimAt(scene));
  // Turns would hardly ever start, and calls hardly ever be decided, if parameters that need others were always there.
  if (random.chance(0.7)) for (const key of rare) Reflect.deleteProperty(given, key);
  return { ...given, ...aimed[name]?.(scene) };
}

/** Parameters of turns that only go together with some others. */
const rare = ['leaves_calls', 'caller_tools', 'scope', 'answers', 'arguments_changed'];

function aimAt(scene: Scene): Aim {
  const { random, root, other } = scene;
  return {
    id: (kind) => {
      if (kind === 'block') return blockOf(scene);
      if (kind === 'node') return nodeOf(scene);
      return kind === 'place' ? placeOf(scene) : random.chance(0.8) ? root : other;
    },
    named: {
      provider: () => 'spoilt',
      model: () => 'one',
      tools: () => ['echo', 'inquire'],
      turn: () => random.pick([...scene.state.liveTurns]) ?? 'turn',
      messages: () => [messageOf(scene), messageOf(scene)],
      query: () => 'o.e',
      operations: () => [{ op: 'insert', line: 0, content: text(random) }],
      depth: () => 2,
      n: () => 1,
    },
    text: () => text(random),
  };
}

/** The parameters that random values hardly ever hit: targets that are open or waiting, or texts that match. */
const aimed: Readonly<Record<string, (scene: Scene) => Record<string, unknown>>> = {
  'root.mark': ({ root, random }) => ({ root, title: text(random) }),
  'root.remove': ({ other }) => ({ root: other }),
  'root.restore': ({ other }) => ({ root: other }),
  'root.find_or_create': () => ({ config: { systemPrompt: 'one per prompt', custom: { a: 1 } } }),
  'root.configure': ({ root, random }) => ({ root, config: { systemPrompt: text(random), custom: { a: 1 } } }),
  'node.append': (scene) =>
    scene.random.chance(0.5) ? { messages: [{ role: 'user', content: text(scene.random) }] } : {},
  'node.edit': (scene) => ({ content: scene.random.chance(0.5) ? text(scene.random) : [textBlock(scene)] }),
  'node.merge': (scene) => ({ node: mergeable(scene) }),
  'node.mark': (scene) => {
    const node = nodeOf(scene);
    const exclude = scene.state.nodes.get(node)?.blocks.flatMap(({ block_id: block }) => block ?? []) ?? [];
    return { node, exclude, context_start: false };
  },
  'block.create': () => ({ role: 'user', kind: 'text', metadata: { a: 1 } }),
  'block.status': (scene) => ({ block_id: unfinished(scene), status: 'done' }),
  'block.append': (scene) => ({ block_id: unfinished(scene) }),
  'block.splice': () => ({ offset: 0, delete_count: 1 }),
  'block.replace': (scene) => ({ content: scene.random.chance(0.5) ? text(scene.random) : textBlock(scene) }),
  'block.apply_patch': (scene) => {
    const block_id = blockOf(scene);
    const block = scene.state.block(block_id);
    const [line = ''] = (block?.type === 'text' ? block.text : '').split('\n');
    return { block_id, patch: `@@ -1 +1 @@\n-${line}\n+uno\n` };
  },
  'block.list': () => ({ kind: 'text', status: 'done' }),
  'kernel.search': () => ({ kinds: ['text'] }),
  'block.diff': () => ({ from_version: 1, to_version: 2 }),
  'document.update': ({ state, random }) => ({ client: random.pick([...state.clients.keys()]) ?? 1 }),
  'turn.steer': (scene) => ({ content: scene.random.chance(0.5) ? text(scene.random) : [textBlock(scene)] }),
  'turn.queue': (scene) => ({ content: scene.random.chance(0.5) ? text(scene.random) : [textBlock(scene)] }),
  'turn.withdraw': (scene) => ({ root: scene.root, message: waitingOf(scene) }),
  'turn.reorder': (scene) => ({
    root: scene.root,
    message: waitingOf(scene, 'queue'),
    before: scene.random.chance(0.5) ? null : waitingOf(scene, 'queue'),
  }),
  'turn.decide': decisionOf,
  'blob.read': ({ blob }) => ({ blob, start: 0, end: 9 }),
  'job.get': (scene) => ({ job: jobOf(scene) }),
  'job.cancel': (scene) => ({ job: jobOf(scene) }),
  'id.resolve': ({ random }) => ({ text: `node-${1 + random.below(9)}` }),
  'operation.get': ({ random }) => ({ name: random.pick(operations)?.name }),
};

function text(random: Random): string {
  return random.pick(['one', 'two\nlines', 'é\r\nö', '😀 and more', ' ', 'a long word after another'.repeat(9)]) ?? '';
}

function nodeOf({ state, random, root }: Scene): string {
  return random.pick([...state.nodes.keys()]) ?? root;
}

function placeOf(scene: Scene): string {
  return scene.random.chance(0.2) ? scene.root : nodeOf(scene);
}

/** Picks a block; often one of a few, so that edits of a text can be undone and done again. */
function blockOf({ state, random }: Scene): string {
  const blocks = [...state.nodeOfBlock.keys()];
  return random.pick(random.chance(0.5) ? blocks.slice(0, 3) : blocks) ?? 'none';
}

/** A block that an agent is still writing, if there is one. */
function unfinished(scene: Scene): string {
  const blocks = [...scene.state.nodes.values()].flatMap((node) => node.blocks);
  const open = blocks.filter(({ status }) => status === 'pending' || status === 'running');
  return scene.random.pick(open)?.block_id ?? blockOf(scene);
}

/** A node that says the same kind of thing as the one above it. */
function mergeable(scene: Scene): string {
  const { state, random } = scene;
  const candidates = [...state.nodes.values()].filter(
    ({ parent, role, blocks }) => state.nodes.get(parent)?.role === role && blocks.every(({ type }) => type === 'text'),
  );
  return random.pick(candidates)?.id ?? nodeOf(scene);
}

/** A message that waits for a turn, if there is any. */
function waitingOf({ state, random }: Scene, kind?: 'queue'): string {
  const waiting = [...state.waiting.values()].filter((message) => kind === undefined || message.kind === kind);
  return random.pick(waiting)?.id ?? 'none';
}

/** Picks a job; if there is none, begins one. */
function jobOf({ engine, random, root }: Scene): string {
  const about = { kind: 'turn.compact', agent: 'person', root, words: 'working' };
  return random.pick(engine.jobs.list())?.id ?? engine.jobs.start(about, async () => 'done');
}

/** A decision about a call that waits for one, if there is any. */
function decisionOf(scene: Scene): Record<string, unknown> {
  const { state, random } = scene;
  const waiting = random.pick([...state.nodes.values()].filter(({ tool }) => tool === 'waiting'));
  const blocks = [...state.nodes.values()].flatMap((node) => node.blocks);
  const call = blocks.findLast((block) => block.type === 'tool-use' && block.id === waiting?.tool_call_id);
  const exact = call?.type === 'tool-use' ? (call.arguments ?? JSON.stringify(call.parameters)) : '{}';
  return { node: waiting?.id ?? nodeOf(scene), decision: 'approved', arguments: exact };
}

function textBlock({ random }: Scene) {
  return { type: 'text', text: text(random) };
}

function messageOf(scene: Scene): unknown {
  const { random } = scene;
  const call = { type: 'tool-use', id: `call-${random.below(9)}`, name: 'echo', parameters: { a: [1, { b: 'c' }] } };
  return random.pick([
    { role: 'user', content: [textBlock(scene)] },
    { role: 'user', content: [textBlock(scene), { type: 'image', media_type: 'image/png', url: 'https://x/y.png' }] },
    { role: 'user', content: [{ type: 'raw', source: 'x', value: { a: [null, 1.5, 'x'] } }] },
    { role: 'assistant', content: [{ type: 'thinking', text: 'hm', provider: { x: { y: 'z' } } }, call] },
    { role: 'assistant', content: [textBlock(scene), { type: 'code', content: 'x = 1', language: 'js' }] },
    { role: 'assistant', content: [{ type: 'todo', items: [{ content: 'x', status: 'pending' }] }] },
    { role: 'tool', tool_call_id: call.id, content: [{ type: 'command', command: 'ls', stdout: 'a\n', exit_code: 0 }] },
  ]);
}
