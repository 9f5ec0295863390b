import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { z } from 'zod';
import type { MessageBlock } from '@loom/blocks';
import { isVisible, openingNode, readRootSettings, senderOf } from '@loom/kernel';
import type { ForeignItem, ForeignNode } from '../foreign/foreign.ts';
import { Importer } from './importer.ts';
import { Origins } from './origins.ts';
import { awaitedIn } from './root-facts.ts';
import { ReportWriter } from './reporting/report.ts';
import { contentOf, createImportWorld, messagesOf } from './testing/imports.ts';

const text = (words: string): MessageBlock => ({ type: 'text', text: words });

const conversation = (id: string, more: object = {}): ForeignItem => ({
  type: 'conversation',
  conversation: { id, created_at: '2026-01-02T03:04:05.000Z', ...more },
});

function node(id: string, parent: string | undefined, more: Partial<ForeignNode> = {}): ForeignItem {
  return {
    type: 'node',
    node: {
      conversation: 'c',
      id,
      ...(parent === undefined ? {} : { parent }),
      role: 'user',
      blocks: [{ key: id, block: text(`words of ${id}`) }],
      source: { type: 'user' },
      started_at: '2026-01-02T03:05:00.000Z',
      ...more,
    },
  };
}

const answer = (id: string, parent: string, keys: readonly string[], tokens = 1): ForeignItem =>
  node(id, parent, {
    role: 'assistant',
    blocks: keys.map((key) => ({ key, block: text(`words of ${key}`) })),
    source: {
      type: 'model',
      provider: 'anthropic',
      model_name: 'm',
      parameters: {},
      usage: { input_tokens: 1, output_tokens: tokens },
    },
  });

const sample: ForeignItem[] = [
  conversation('c', { title: 'A title', directory: '/somewhere', aliases: ['session'] }),
  node('a', undefined),
  answer('b', 'a', ['b', 'b2']),
  node('d', 'b'),
  node('e', 'b'),
];

test('[IM10] messages come to their places, with their branches, origins and original times', async () => {
  const world = createImportWorld();
  const importer = await world.importer();
  await importer.take(sample);
  assert.deepEqual(importer.counts, { roots_added: 1, nodes_added: 4, blocks_added: 5 });
  const [state] = await world.states();
  assert.ok(state !== undefined);
  assert.equal(state.title, 'A title');
  assert.deepEqual(state.config, {
    directory: '/somewhere',
    origin: { source: 'elsewhere', id: 'c' },
    imported: { aliases: ['session'], title: 'A title', created_at: '2026-01-02T03:04:05.000Z' },
  });
  assert.equal(new Date(state.created).toISOString(), '2026-01-02T03:04:05.000Z');
  const nodes = [...state.nodes.values()];
  assert.deepEqual(
    nodes.map(({ origin, parent }) => [origin?.id, state.nodes.get(parent)?.origin?.id]),
    [
      ['a', undefined],
      ['b', 'a'],
      ['d', 'b'],
      ['e', 'b'],
    ],
  );
  assert.ok(nodes.every(({ time }) => new Date(time).toISOString() === '2026-01-02T03:05:00.000Z'));
});

test('[IM11] a second import adds nothing, found by any of its names', async () => {
  const world = createImportWorld();
  await (await world.importer()).take(sample);
  const before = (await world.states()).map(messagesOf);
  const renamed: ForeignItem[] = [conversation('session', { aliases: ['c'] }), ...sample.slice(1).map(inSession)];
  for (const items of [sample, renamed]) {
    const importer = await world.importer();
    await importer.take(items);
    assert.deepEqual(importer.counts, { roots_added: 0, nodes_added: 0, blocks_added: 0 });
  }
  assert.equal(before.length, 1);
  assert.deepEqual((await world.states()).map(messagesOf), before);
});

function inSession(item: ForeignItem): ForeignItem {
  return item.type === 'node' ? { type: 'node', node: { ...item.node, conversation: 'session' } } : item;
}

test('[IM11] a conversation with more names than a list shows is found by the last of them', async () => {
  const world = createImportWorld();
  const aliases = Array.from({ length: 50 }, (_, index) => `session-${index}-${'x'.repeat(30)}`);
  await (await world.importer()).take([conversation('c', { aliases }), node('a', undefined)]);
  const again = await world.importer();
  const id = aliases.at(-1) ?? '';
  await again.take([conversation(id), node('a', undefined, { conversation: id })]);
  assert.deepEqual(again.counts, { roots_added: 0, nodes_added: 0, blocks_added: 0 });
});

test('[IM11] two that import the same conversation at once add each message once', async () => {
  const world = createImportWorld();
  const importers = [await world.importer(), await world.importer()];
  await Promise.all(
    importers.map(async (importer) => {
      for (const item of sample) await importer.take([item]);
    }),
  );
  const alone = createImportWorld();
  await (await alone.importer()).take(sample);
  assert.deepEqual((await world.states()).map(contentOf), (await alone.states()).map(contentOf));
});

test('[IM12] however items are cut, and however grown they come, the tree is the same', async () => {
  const whole = createImportWorld();
  const full = [...sample, answer('f', 'e', ['f', 'f2', 'f3'], 9), node('g', 'f')];
  await (await whole.importer()).take(full);
  const [expected] = (await whole.states()).map(contentOf);
  // Each message may come any number of times, with the blocks it had until then.
  const growths = fc.array(
    fc.tuple(fc.integer({ min: 1, max: full.length }), fc.integer({ min: 0, max: 3 }), fc.boolean()),
  );
  await fc.assert(
    fc.asyncProperty(growths, async (steps) => {
      const world = createImportWorld();
      let importer = await world.importer();
      for (const [count, blocks, isNewProcess] of steps) {
        if (isNewProcess) importer = await world.importer();
        await importer.take(full.slice(0, count).map((item) => cut(item, blocks)));
      }
      await importer.take(full);
      assert.deepEqual((await world.states()).map(contentOf), [expected]);
    }),
    { numRuns: 60 },
  );
});

/** Returns the last answer as it was before all of its blocks had come. */
function cut(item: ForeignItem, blocks: number): ForeignItem {
  if (item.type !== 'node' || item.node.id !== 'f' || blocks === 0) return item;
  return answer('f', 'e', ['f', 'f2', 'f3'].slice(0, blocks), blocks);
}

test('[IM13] what people have made of imported messages stays: edits, deletions, blocks taken out, titles, moves', async () => {
  const world = createImportWorld();
  await (await world.importer()).take(sample);
  const [root = ''] = await world.forest.roots();
  const state = await world.forest.log(root).state();
  const idOf = (name: string): string => [...state.nodes.values()].find(({ origin }) => origin?.id === name)?.id ?? '';
  const person = (): { agent: string; id: string } => ({ agent: 'person', id: world.newId() });
  const blockOf = (name: string, index = 0): string => state.nodes.get(idOf(name))?.blocks[index]?.block_id ?? '';
  const done = [
    await world.forest.editBlock(person(), root, { block: blockOf('a'), text: 'Other words' }),
    await world.forest.remove(person(), root, { node: idOf('d'), children: 'remove' }),
    await world.forest.move(person(), root, { node: idOf('e'), parent: root }),
    await world.forest.markRoot(person(), root, { title: 'Mine' }),
    await world.forest.change(person(), root, z.unknown(), () => ({
      ok: true,
      ops: [{ type: 'block-removed', block: blockOf('b', 1) }],
      value: null,
    })),
  ];
  assert.ok(done.every(({ ok }) => ok));
  const before = (await world.states()).map(messagesOf);
  const importer = await world.importer();
  await importer.take([
    conversation('c', { title: 'A better title', aliases: ['session'], directory: '/somewhere' }),
    ...sample.slice(1),
  ]);
  assert.deepEqual(importer.counts, { roots_added: 0, nodes_added: 0, blocks_added: 0 });
  const [after] = await world.states();
  assert.equal(after?.title, 'Mine');
  assert.deepEqual((await world.states()).map(messagesOf), before);
  // New messages go to the places to which users have moved their parents.
  await (await world.importer()).take([...sample, node('h', 'e')]);
  const grown = (await world.states())[0];
  const added = [...(grown?.nodes.values() ?? [])].find(({ origin }) => origin?.id === 'h');
  assert.equal(added?.parent, idOf('e'));
});

/** Creates a world with the sample in it, and the edits that a user may make to its messages, which are named as in their source. */
async function editedWorld() {
  const world = createImportWorld();
  await (await world.importer()).take(sample);
  const [root = ''] = await world.forest.roots();
  const state = await world.forest.log(root).state();
  const find = (name: string) => {
    const found = [...state.nodes.values()].find(({ origin }) => origin?.id === name);
    assert.ok(found !== undefined, name);
    return found;
  };
  const person = (): { agent: string; id: string } => ({ agent: 'person', id: world.newId() });
  return { world, root, state, find, person };
}

test('[IM35] below a message that was deleted with its branch, new ones are hidden too, and that is told', async () => {
  const { world, root, state, find, person } = await editedWorld();
  assert.ok((await world.forest.remove(person(), root, { node: find('b').id, children: 'remove' })).ok);
  const importer = await world.importer();
  await importer.take([...sample, node('h', 'e'), node('i', 'h'), node('j', 'a')]);
  assert.deepEqual([...importer.hidden], [[find('b').id, 2]]);
  assert.deepEqual([find('h').parent, isVisible(state, find('h').id)], [find('e').id, false]);
  assert.ok(isVisible(state, find('j').id));
  const report = new ReportWriter();
  report.imported(importer, 'a.jsonl');
  assert.deepEqual(report.end(false).warnings, [
    `a.jsonl: 2 new messages are hidden below ${find('b').id}, which was deleted in Loom; restore it to see what is new`,
  ]);
  assert.ok((await world.forest.restore(person(), root, find('b').id)).ok);
  assert.ok(isVisible(state, find('i').id));
});

test('[IM35] below a message that was deleted alone, new ones hang where the others do that stood below it', async () => {
  const { world, root, state, find, person } = await editedWorld();
  assert.ok((await world.forest.remove(person(), root, { node: find('b').id, children: 'reparent' })).ok);
  const importer = await world.importer();
  await importer.take([...sample, node('h', 'b')]);
  assert.deepEqual([find('h').parent, isVisible(state, find('h').id)], [find('a').id, true]);
  assert.equal(importer.hidden.size, 0);
});

test('[IM35] a message that was merged into another comes back for what hangs below it alone', async () => {
  const { world, root, state, find, person } = await editedWorld();
  await (await world.importer()).take([...sample, node('k', 'd')]);
  assert.ok((await world.forest.merge(person(), root, find('k').id)).ok);
  assert.ok(!isVisible(state, find('d').id));
  const importer = await world.importer();
  await importer.take([...sample, node('k', 'd'), node('h', 'd'), node('i', 'h')]);
  assert.deepEqual([...importer.shownAgain], [find('d').id]);
  assert.deepEqual([find('h').parent, isVisible(state, find('i').id)], [find('d').id, true]);
  assert.equal(importer.hidden.size, 0);
  // The merged message is as the user has made it.
  assert.deepEqual(
    [find('k').parent, find('k').blocks.map((block) => block.type === 'text' && block.text)],
    [find('b').id, ['words of d', 'words of k']],
  );
  const report = new ReportWriter();
  report.imported(importer, 'a.jsonl');
  assert.match(report.end(false).warnings.join(), /merged into another message, is shown again/u);
});

test('[IM14] a title that comes later is taken over as long as no person has given one', async () => {
  const world = createImportWorld();
  await (await world.importer()).take([conversation('c'), node('a', undefined)]);
  await (await world.importer()).take([conversation('c', { title: 'First' })]);
  await (await world.importer()).take([conversation('c', { title: 'Second' })]);
  assert.equal((await world.states())[0]?.title, 'Second');
});

test('[IM15] a conversation that a person has deleted is not brought back, and that is told', async () => {
  const world = createImportWorld();
  await (await world.importer()).take(sample);
  const [root = ''] = await world.forest.roots();
  await world.forest.removeRoot({ agent: 'person', id: 'r' }, root);
  const importer = await world.importer();
  await importer.take([...sample, node('z', 'e')]);
  assert.deepEqual(importer.counts, { roots_added: 0, nodes_added: 0, blocks_added: 0 });
  assert.deepEqual([...importer.deleted], ['c']);
  assert.equal((await world.forest.roots()).length, 1);
});

test('[IM16] what the other program takes back goes, whole messages and single blocks; what stood below moves up', async () => {
  const world = createImportWorld();
  const importer = await world.importer();
  await importer.take([conversation('c'), node('a', undefined), answer('b', 'a', ['b', 'b2']), node('d', 'b')]);
  await importer.take([{ type: 'retract', conversation: 'c', keys: ['b2'] }]);
  const [state] = await world.states();
  const find = (id: string) => [...(state?.nodes.values() ?? [])].find(({ origin }) => origin?.id === id);
  assert.deepEqual(
    find('b')?.blocks.map((block) => block.type === 'text' && block.text),
    ['words of b'],
  );
  await importer.take([{ type: 'retract', conversation: 'c', keys: ['b', 'b2'] }]);
  assert.equal(find('b')?.deleted, true);
  assert.equal(find('d')?.parent, find('a')?.id);
});

test('[IM17] the conversation of a sub-agent is shown at its call, once, whichever of them comes first', async () => {
  const call = node('r', 'b', {
    role: 'tool',
    tool_call_id: 'call-1',
    source: { type: 'tool_result', tool_name: 'Agent' },
  });
  const child = conversation('child', { parent: { conversation: 'c', call: 'call-1' } });
  const words: ForeignItem = { type: 'node', node: { ...at(node('k', undefined)), conversation: 'child' } };
  const parts: ForeignItem[][] = [
    [...sample, call],
    [child, words],
  ];
  for (const order of [parts, parts.toReversed()]) {
    const world = createImportWorld();
    for (const items of [...order, ...order]) await (await world.importer()).take(items);
    const states = await world.states();
    const find = (id: string) => states.find(({ config }) => readRootSettings(config).origin?.id === id);
    const [parent, own] = [find('c'), find('child')];
    const result = [...(parent?.nodes.values() ?? [])].find(({ origin }) => origin?.id === 'r');
    assert.deepEqual(
      result?.blocks.flatMap((block) => (block.type === 'conversation' ? [block.root] : [])),
      [own?.id],
    );
    assert.equal(senderOf(own?.config ?? {}), result?.id, 'and says so itself');
  }
});

test('[IM17] a sub-agent that another sub-agent has sent out is shown at its call there, though its own file names the session alone', async () => {
  const result = (id: string, of: string, call: string): ForeignItem =>
    node(id, undefined, {
      conversation: of,
      role: 'tool',
      tool_call_id: call,
      source: { type: 'tool_result', tool_name: 'Agent' },
    });
  const main = [conversation('main'), result('r1', 'main', 'call-1')];
  const outer = [
    conversation('outer', { parent: { conversation: 'main', call: 'call-1' } }),
    result('r2', 'outer', 'call-2'),
    conversation('inner', { parent: { conversation: 'outer', call: 'call-2' } }),
  ];
  const inner = [
    conversation('inner', { parent: { conversation: 'main', call: 'call-2' } }),
    node('x1', undefined, { conversation: 'inner' }),
  ];
  for (const order of [
    [main, outer, inner],
    [main, inner, outer],
    [inner, outer, main],
  ]) {
    const world = createImportWorld();
    const origins = await new Origins().refresh(world.forest);
    const blobs = { put: (bytes: Uint8Array): Promise<string> => world.store.putBlob(bytes) };
    for (const items of order) await new Importer({ ...world, blobs, source: 'elsewhere', origins }).take(items);
    const states = await world.states();
    const find = (id: string) => states.find(({ config }) => readRootSettings(config).origin?.id === id);
    const [sender] = find('outer')?.nodes.values() ?? [];
    assert.equal(senderOf(find('inner')?.config ?? {}), sender?.id);
    assert.ok(sender?.blocks.some((block) => block.type === 'conversation' && block.root === find('inner')?.id));
  }
});

test('[IM9] the call of a sub-agent that comes with a later import is known from the file that named it, which is not read again', async () => {
  const world = createImportWorld();
  const parent = { conversation: 'c', call: 'call-1' };
  const result = node('r', 'b', {
    role: 'tool',
    tool_call_id: 'call-1',
    source: { type: 'tool_result', tool_name: 'Task' },
  });
  const first = await world.importer();
  await first.take([...sample, result, conversation('agent', { parent })]);
  await first.noteFile({ path: '/x', bytes: 1, modified: 1 });
  // Another process, and a file that does not know the call.
  const second = await world.importer();
  await second.take([conversation('agent'), node('k', undefined, { conversation: 'agent' })]);
  const [main, agent] = await world.states();
  const shown = [...(main?.nodes.values() ?? [])].find(({ origin }) => origin?.id === 'r');
  assert.ok(shown?.blocks.some((block) => block.type === 'conversation' && block.root === agent?.id));
  assert.equal(senderOf(agent?.config ?? {}), shown?.id);
  assert.deepEqual(awaitedIn(main?.config ?? {}), new Map(), 'and is forgotten then');
});

test('[IM10] a conversation is as recent as the latest of its messages, though an older branch comes last, or a sub-agent, or something is taken back', async () => {
  const world = createImportWorld();
  const late = '2026-01-02T09:00:00.000Z';
  const result = node('r', 'b', {
    role: 'tool',
    tool_call_id: 'call-1',
    source: { type: 'tool_result', tool_name: 'Agent' },
  });
  const importer = await world.importer();
  const tree = [...sample, result, node('latest', 'd', { started_at: late }), node('older', 'a')];
  await importer.take(tree);
  const file = { path: '/x', bytes: 1, modified: 1 };
  await importer.noteFile(file);
  const updated = async (): Promise<number | undefined> => (await world.states())[0]?.updated;
  assert.equal(await updated(), Date.parse(late));
  const child = conversation('child', { parent: { conversation: 'c', call: 'call-1' } });
  await (await world.importer()).take([child, node('k', undefined, { conversation: 'child' })]);
  const [state] = await world.states();
  assert.ok([...(state?.nodes.values() ?? [])].some(({ blocks }) => blocks.at(-1)?.type === 'conversation'));
  assert.equal(await updated(), Date.parse(late));
  const again = await world.importer();
  await again.take([conversation('c'), { type: 'retract', conversation: 'c', keys: ['older'] }]);
  assert.equal(await updated(), Date.parse(late));
});

function at(item: ForeignItem): ForeignNode {
  assert.ok(item.type === 'node');
  return item.node;
}

test('[IM9] a sub-agent of which nothing is there but its call is no conversation; one that comes later is shown at it', async () => {
  const world = createImportWorld();
  const origins = await new Origins().refresh(world.forest);
  const importer = (): Importer =>
    new Importer({ ...world, blobs: { put: (bytes) => world.store.putBlob(bytes) }, source: 'elsewhere', origins });
  const parent = { conversation: 'main', call: 'call-1' };
  await importer().take([
    conversation('main'),
    node('r1', undefined, {
      conversation: 'main',
      role: 'tool',
      tool_call_id: 'call-1',
      source: { type: 'tool_result', tool_name: 'Task' },
    }),
    conversation('agent', { parent }),
    conversation('never-heard-of', { parent: { ...parent, call: 'call-2' } }),
  ]);
  assert.equal((await world.states()).length, 1);
  // Its own file does not know the call.
  await importer().take([conversation('agent'), node('x1', undefined, { conversation: 'agent' })]);
  const [main, agent, none] = await world.states();
  assert.equal(none, undefined);
  const shown = [...(main?.nodes.values() ?? [])]
    .flatMap(({ blocks }) => blocks)
    .find(({ type }) => type === 'conversation');
  assert.equal(shown?.type === 'conversation' ? shown.root : undefined, agent?.id);
});

test('[IM18] pictures and long outputs become blobs', async () => {
  const world = createImportWorld();
  const bytes = Buffer.from('a picture');
  const picture: MessageBlock = {
    type: 'image',
    media_type: 'image/png',
    url: `data:image/png;base64,${bytes.toString('base64')}`,
  };
  const output: MessageBlock = { type: 'command', command: 'x', stdout: 'y'.repeat(100_000) };
  const blocks = [picture, output].map((block, index) => ({ key: `k${index}`, block }));
  const result = node('r', 'a', {
    role: 'tool',
    tool_call_id: 't',
    blocks,
    source: { type: 'tool_result', tool_name: 'x' },
  });
  await (await world.importer()).take([conversation('c'), node('a', undefined), result]);
  const [state] = await world.states();
  const [image, command] = [...(state?.nodes.values() ?? [])].at(-1)?.blocks ?? [];
  assert.ok(image?.type === 'image' && image.blob !== undefined && image.url === undefined);
  assert.deepEqual(Buffer.from((await world.store.getBlob(image.blob)) ?? []), bytes);
  assert.ok(command?.type === 'command' && typeof command.stdout === 'object' && command.stdout.bytes === 100_000);
});

test('[IM34] a conversation is known by the first message that no program has written in the name of its user', async () => {
  const world = createImportWorld();
  const surroundings = node('s', undefined, {
    blocks: [{ key: 's', block: text('<environment>') }],
    details: { synthetic: true },
  });
  await (await world.importer()).take([conversation('c'), surroundings, node('a', 's')]);
  const [listed] = await world.forest.listRoots();
  assert.equal(listed?.opening, 'words of a');
  const alone = createImportWorld();
  await (await alone.importer()).take([conversation('c'), surroundings]);
  assert.equal((await alone.forest.listRoots())[0]?.opening, '<environment>');
});

test('[IM44] a notice of a program gives no title, and stays in the conversation as it came', async () => {
  const world = createImportWorld();
  const notice = '[Request interrupted by user]';
  await (
    await world.importer()
  ).take([
    conversation('c'),
    node('a', undefined, { blocks: [{ key: 'a', block: text(notice) }] }),
    node('b', 'a', { blocks: [{ key: 'b', block: text('Fix the parser') }] }),
  ]);
  const [state] = await world.states();
  assert.ok(state !== undefined);
  const [first, second] = [...state.nodes.values()];
  assert.equal(openingNode(state)?.id, second?.id);
  assert.deepEqual([first?.role, first?.blocks[0]?.type === 'text' && first.blocks[0].text], ['user', notice]);
  assert.equal((await world.forest.listRoots())[0]?.opening, 'Fix the parser');
});
