import { blockTools } from '@loom/kernel';
import type { BlockTools, LoomEngine, RootState } from '@loom/kernel';
import type { Random } from '@loom/kernel/testing';

/** What an operation can be aimed at. */
export interface Scene {
  engine: LoomEngine;
  tools: BlockTools;
  root: string;
  /** Another conversation. */
  other: string;
  state: RootState;
  random: Random;
}

/** One public operation: how it is called, and arguments behind the request that it would accept. */
export interface Operation {
  name: string;
  inputs: (scene: Scene) => unknown[];
  call: (scene: Scene, request: unknown, inputs: readonly unknown[]) => Promise<unknown>;
}

const text = (random: Random): string =>
  random.pick(['one', 'two\nlines', 'é\r\nö', '😀 and more', ' ', 'a long word after another'.repeat(9)]) ?? '';

const nodeOf = ({ state, random, root }: Scene): string => random.pick([...state.nodes.keys()]) ?? root;
const placeOf = (scene: Scene): string => (scene.random.chance(0.2) ? scene.root : nodeOf(scene));
/** Some block; often one of a few, so that what is done to a text can be undone and done again. */
function blockOf({ state, random }: Scene): string {
  const blocks = [...state.nodeOfBlock.keys()];
  return random.pick(random.chance(0.5) ? blocks.slice(0, 3) : blocks) ?? '';
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

/** A decision about a call that waits for one, if there is any. */
function decisionOf(scene: Scene): unknown {
  const { state, random } = scene;
  const waiting = random.pick([...state.nodes.values()].filter(({ tool }) => tool === 'waiting'));
  const blocks = [...state.nodes.values()].flatMap((node) => node.blocks);
  const call = blocks.findLast((block) => block.type === 'tool-use' && block.id === waiting?.tool_call_id);
  const exact = call?.type === 'tool-use' ? (call.arguments ?? JSON.stringify(call.parameters)) : '{}';
  return { node: waiting?.id ?? nodeOf(scene), decision: 'approved', arguments: exact, text: text(random) };
}

const turnOf = ({ state, random }: Scene): string => random.pick([...state.liveTurns]) ?? 'turn';

const textBlock = ({ random }: Scene) => ({ type: 'text', text: text(random) });

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

/** An operation that is a method of the forest. */
function forest(method: string, inputs: (scene: Scene) => unknown[]): Operation {
  return {
    name: `forest.${method}`,
    inputs,
    call: (scene, request, given) => invoke(scene.engine.forest, method, [request, ...given]),
  };
}

/** An operation that is a method of the engine. */
function engine(method: string, inputs: (scene: Scene) => unknown[]): Operation {
  return {
    name: `engine.${method}`,
    inputs,
    call: (scene, request, given) => invoke(scene.engine, method, [request, ...given]),
  };
}

async function invoke(target: object, method: string, given: readonly unknown[]): Promise<unknown> {
  const called: unknown = Reflect.get(target, method);
  if (typeof called !== 'function') throw new Error(`there is no operation ${method}`);
  const answer: unknown = await Reflect.apply(called, target, given);
  return answer;
}

const forestOperations: readonly Operation[] = [
  forest('createRoot', ({ random }) => [{ systemPrompt: text(random) }]),
  forest('getOrCreateRoot', () => [{ systemPrompt: 'one per prompt', more: { a: 1 } }]),
  forest('removeRoot', ({ other }) => [other]),
  forest('restoreRoot', ({ other }) => [other]),
  forest('markRoot', ({ root, random }) => [root, { title: text(random), tags: ['a', 'b'] }]),
  forest('append', (scene) => [scene.root, { parent: placeOf(scene), messages: [messageOf(scene), messageOf(scene)] }]),
  forest('append', (scene) => [
    scene.root,
    { parent: placeOf(scene), messages: [{ role: 'user', content: [textBlock(scene)] }] },
  ]),
  forest('editNode', (scene) => [scene.root, { node: nodeOf(scene), content: text(scene.random) }]),
  forest('editNode', (scene) => [
    scene.root,
    { node: nodeOf(scene), content: [textBlock(scene)], mode: scene.random.pick(['sibling', 'in-place', 'split']) },
  ]),
  forest('editBlock', (scene) => [scene.root, { block: blockOf(scene), text: text(scene.random) }]),
  forest('editBlock', (scene) => [scene.root, { block: blockOf(scene), content: textBlock(scene) }]),
  forest('fork', (scene) => [scene.root, { block: blockOf(scene) }]),
  forest('remove', (scene) => [
    scene.root,
    { node: nodeOf(scene), children: scene.random.chance(0.5) ? 'remove' : 'reparent' },
  ]),
  forest('removeChildren', (scene) => [scene.root, nodeOf(scene)]),
  forest('removeSiblings', (scene) => [scene.root, nodeOf(scene)]),
  forest('restore', (scene) => [scene.root, nodeOf(scene)]),
  forest('move', (scene) => [scene.root, { node: nodeOf(scene), parent: placeOf(scene) }]),
  forest('moveToRoot', (scene) => [
    { root: scene.root, node: nodeOf(scene) },
    { root: scene.other, parent: scene.other },
  ]),
  forest('merge', (scene) => [scene.root, mergeable(scene)]),
  forest('markNode', (scene) => {
    const node = nodeOf(scene);
    const exclude = scene.state.nodes.get(node)?.blocks.flatMap(({ block_id: block }) => block ?? []) ?? [];
    const custom_data = { a: [1, { b: null }] };
    return [scene.root, { node, title: text(scene.random), tags: ['x'], exclude, context_start: false, custom_data }];
  }),
  forest('bookmark', (scene) => [
    scene.root,
    { node: nodeOf(scene), title: scene.random.chance(0.5) ? text(scene.random) : null },
  ]),
  forest('undo', ({ root }) => [root]),
  forest('undo', ({ root, state, random }) => [root, 1 + random.below(state.seq)]),
  forest('redo', ({ root }) => [root]),
  forest('addClient', ({ root }) => [root]),
];

const engineOperations: readonly Operation[] = [
  ...Array.from({ length: 4 }, () =>
    engine('generate', (scene) => [
      scene.root,
      {
        node: nodeOf(scene),
        provider: 'spoilt',
        model: 'one',
        settings: { temperature: 0.5 },
        tools: ['echo', 'inquire'],
        n: 1,
        maxRounds: 3,
      },
    ]),
  ),
  engine('abort', (scene) => [scene.root, turnOf(scene)]),
  engine('steer', (scene) => [scene.root, turnOf(scene), [textBlock(scene)]]),
  engine('queue', (scene) => [scene.root, turnOf(scene), [textBlock(scene)]]),
  {
    name: 'engine.decide',
    inputs: (scene) => [scene.root, decisionOf(scene)],
    call: (scene, request, given) =>
      invoke(scene.engine, 'decide', [{ ...(isObject(request) ? request : {}), type: 'person' }, ...given]),
  },
];

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Parameters that each block tool would accept. */
const toolParams: Record<string, (scene: Scene) => unknown> = {
  'block.create': (scene) => ({
    parent_id: placeOf(scene),
    role: 'user',
    kind: 'text',
    metadata: { a: 1 },
    ...(scene.random.chance(0.5) ? { content: text(scene.random) } : {}),
  }),
  'block.status': (scene) => ({ block_id: unfinished(scene), status: 'done' }),
  'block.append': (scene) => ({ block_id: unfinished(scene), text: text(scene.random) }),
  'block.edit': (scene) => ({
    block_id: blockOf(scene),
    operations: [{ op: 'insert', line: 0, content: text(scene.random) }],
  }),
  'block.splice': (scene) => ({ block_id: blockOf(scene), offset: 0, delete_count: 1, insert: text(scene.random) }),
  'block.apply_patch': (scene) => {
    const block_id = blockOf(scene);
    const block = scene.state.block(block_id);
    const [line = ''] = (block?.type === 'text' ? block.text : '').split('\n');
    return { block_id, patch: `@@ -1 +1 @@\n-${line}\n+uno\n` };
  },
  'block.undo': (scene) => ({ block_id: blockOf(scene) }),
  'block.redo': (scene) => ({ block_id: blockOf(scene) }),
  'block.read': (scene) => ({ block_id: blockOf(scene) }),
  'block.search': (scene) => ({ block_id: blockOf(scene), query: 'o.e' }),
  'block.list': (scene) => ({ parent_id: placeOf(scene), depth: 2 }),
  'block.history': (scene) => ({ block_id: blockOf(scene) }),
  'block.diff': (scene) => ({ block_id: blockOf(scene), from_version: 1, to_version: 2 }),
  'block.sync': (scene) => ({ versions: [[blockOf(scene), 1]] }),
  'kernel.search': () => ({ query: 'one', kinds: ['text'] }),
  'cursor.set': (scene) => ({ block_id: blockOf(scene), anchor: 0, head: 1 }),
};

/** Every public operation, the block tools included. */
export const operations: readonly Operation[] = [
  ...forestOperations,
  ...engineOperations,
  ...blockTools.map((tool): Operation => {
    const params = toolParams[tool.name];
    if (params === undefined) throw new Error(`the fuzz of hostile values does not know ${tool.name}`);
    return {
      name: tool.name,
      inputs: (scene) => [params(scene)],
      call: (scene, request, [given]) => {
        const { agent, id } = { agent: 'person', id: '', ...(isObject(request) ? request : {}) };
        return tool.run(scene.tools, { agent, id }, given);
      },
    };
  }),
];
