import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { defineOperation, LoomEngine } from '@loom/kernel';
import { z } from 'zod';
import { ROOT } from '../command-line/commands.ts';
import { withReader } from '../runtime/opened-folder.ts';
import { fakeTerminal } from '../testing/fake-terminal.ts';
import { ForestFolder } from '../testing/forest-folder.ts';
import { callAnyOperation, callOperation } from './call.ts';

const countRoots = defineOperation({
  name: 'planted.count',
  summary: 'Counts the conversations, and what it is given.',
  params: () => z.strictObject({ words: z.array(z.string()).describe('What to count.') }),
  result: () => z.strictObject({ roots: z.int(), words: z.int() }),
  effect: 'reads',
  run: async ({ forest }, _caller, { words }) => ({
    ok: true,
    value: { roots: (await forest.roots()).length, words: words.length },
  }),
});

test('[OP1] an operation that another package defines is one of the library and of loom call', async (context) => {
  const folder = new ForestFolder(context);
  await folder.say('echo one');
  const { dataDir } = folder;
  const params = { words: ['a', 'b'] };
  const caller = { agent: 'person', type: 'person', role: 'reader', id: '1', door: 'library' } as const;
  const outcome = await withReader({ dataDir, operations: [countRoots] }, ({ engine }) =>
    engine.call('planted.count', caller, params),
  );
  assert.deepEqual(outcome, { ok: true, value: { roots: 1, words: 2 } });

  const { terminal, written } = fakeTerminal();
  const options = new Map<string, true>();
  const call = { root: ROOT, options, repeated: new Map<string, string[]>(), dataDir, isJson: true, terminal };
  await callOperation({ ...call, words: ['planted.count', JSON.stringify(params)] }, [countRoots]);
  assert.deepEqual(JSON.parse(written.out), { ok: true, value: { roots: 1, words: 2 } });
  const listed = fakeTerminal();
  await callOperation({ ...call, isJson: false, terminal: listed.terminal, words: [] }, [countRoots]);
  assert.match(listed.written.out, /^planted\.count +Counts the conversations, and what it is given\.$/mu);
});

test('[OP1] two operations of one name are refused when they are put together', async (context) => {
  const { dataDir } = new ForestFolder(context);
  const same = { ...countRoots, name: 'root.list' };
  await assert.rejects(
    withReader({ dataDir, operations: [same] }, async ({ engine }) => engine instanceof LoomEngine),
    /two operations have the same name: root\.list/u,
  );
});

const created = z.strictObject({ root: z.string() });
const appended = z.strictObject({ nodes: z.array(z.string()), created: z.array(z.string()) });
const started = z.strictObject({ turns: z.array(z.string()), nodes: z.array(z.string()) });

test('[OP11] loom call asks for any operation, with JSON as a word or from standard input', async (context) => {
  const folder = new ForestFolder(context);
  const { root } = created.parse(JSON.parse(await folder.succeed(['call', 'root.create'])));
  const message = JSON.stringify({ parent: root, messages: [{ role: 'user', content: 'echo one' }] });
  const { nodes } = appended.parse(JSON.parse(await folder.succeed(['call', 'node.append', '-'], { input: message })));
  const [node = ''] = nodes;
  const turn = { node, provider: 'demo', model: 'demo' };
  const { turns } = started.parse(JSON.parse(await folder.succeed(['call', 'turn.start', JSON.stringify(turn)])));
  assert.equal(turns.length, 1);
  const shown = await folder.nodes(['show', root]);
  assert.deepEqual(
    shown.map(({ message: { role, content } }) => [role, content[0]?.status]),
    [
      ['user', 'done'],
      ['assistant', 'done'],
    ],
    'the answer was complete when the command ended',
  );
});

test('[OP11] loom call --json prints the answer on one line, refusals too, and ends with code 1 for those', async (context) => {
  const folder = new ForestFolder(context);
  const refused = await folder.run(['call', 'node.get', '{"node":"root-x/node-1"}', '--json']);
  assert.equal(refused.code, 1);
  assert.equal(refused.note, '');
  const { ok, refusal } = z
    .looseObject({ ok: z.boolean(), refusal: z.looseObject({ reason: z.string() }) })
    .parse(JSON.parse(refused.out));
  assert.deepEqual([ok, refusal.reason], [false, 'node-not-found']);
  assert.deepEqual(JSON.parse(await folder.succeed(['call', 'root.list', '--json'])), {
    ok: true,
    value: { items: [] },
  });
});

test('[OP62] loom call refuses a misspelled key of a config and names the one that was meant', async (context) => {
  const folder = new ForestFolder(context);
  const { code, note } = await folder.run(['call', 'root.create', '{"config":{"sytemPrompt":"Be brief."}}']);
  assert.equal(code, 1);
  assert.match(note, /no key sytemPrompt.*Did you mean systemPrompt\? Your own keys go under custom/su);
  assert.deepEqual(JSON.parse(await folder.succeed(['call', 'root.list'])), { items: [] });
});

test('[OP11] what is no JSON is a wrong command line, by a word and from standard input alike', async (context) => {
  const folder = new ForestFolder(context);
  const word = await folder.run(['call', 'root.list', '{limit', '--json']);
  const input = await folder.run(['call', 'root.list', '-', '--json'], { input: '{limit' });
  for (const { code, out } of [word, input]) {
    assert.equal(code, 2);
    const failure = z.object({ ok: z.boolean(), error: z.looseObject({ code: z.string() }) }).parse(JSON.parse(out));
    assert.deepEqual([failure.ok, failure.error.code], [false, 'not-json']);
  }
});

test('[OP11] the list of operations is as wide as the screen', async (context) => {
  const { dataDir } = new ForestFolder(context);
  const { terminal, written } = fakeTerminal();
  const narrow = { ...terminal, screen: { isOut: true, isNote: true, columns: 72 } };
  const call = { root: ROOT, options: new Map<string, true>(), repeated: new Map<string, string[]>(), dataDir };
  await callAnyOperation({ ...call, isJson: false, terminal: narrow, words: [] });
  const plain = stripVTControlCharacters(written.out).split('\n');
  assert.ok(plain.every((line) => line.length <= 72) && plain.some((line) => line.startsWith('      ')));
});

test('[OP11] what is wrong with a call is said, and how to find out what is right', async (context) => {
  const folder = new ForestFolder(context);
  const near = await folder.run(['call', 'node.apend', '{}']);
  assert.equal(near.code, 1);
  assert.match(near.note, /node\.append/u);
  const surplus = await folder.run(['call', 'root.list', '{"limit": 0}']);
  assert.equal(surplus.code, 1);
  assert.match(surplus.note, /limit must be at least 1/u);
  assert.match(surplus.note, /loom call operation\.get '\{"name": "root\.list"\}'/u);
  const garbled = await folder.run(['call', 'root.list', '{limit: 3}']);
  assert.equal(garbled.code, 2);
  assert.match(garbled.note, /are not JSON/u);
  const piped = await folder.run(['call', 'root.list', '-'], { input: 'limit' });
  assert.equal(piped.code, 2);
  assert.match(piped.note, /standard input is not JSON/u);
});

const shown = z.object({ prompt: z.string(), files: z.array(z.object({ path: z.string(), cut: z.boolean() })) });

test('[AG14] what models are told about a folder can be seen, and a folder that is not there is refused', async (context) => {
  const folder = new ForestFolder(context);
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'loom-shown-')));
  context.after(() => rmSync(place, { recursive: true, force: true }));
  writeFileSync(join(place, 'AGENTS.md'), 'Use tabs.');
  const ask = (directory: string) => ['call', 'instructions.get', JSON.stringify({ directory })];
  const { prompt, files } = shown.parse(JSON.parse(await folder.succeed(ask(place))));
  assert.match(prompt, /Use tabs\.$/u);
  assert.deepEqual(files, [{ path: join(place, 'AGENTS.md'), cut: false }]);
  const { code, note } = await folder.run(ask(join(place, 'gone')));
  assert.equal(code, 1);
  assert.match(note, /directory.*is not a folder that can be read/u);
});
