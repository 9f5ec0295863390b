import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { LoomEngine } from '@loom/kernel';
import type { Clock } from '@loom/kernel';
import { rest, temporaryDirectory } from '@loom/kernel/testing';
import { createMemoryStore } from '@loom/stores/memory';
import { plainProcesses } from '../testing/plain-processes.ts';
import { createClaudeProvider } from './provider.ts';

const clock: Clock = {
  now: () => Date.now(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** A Loom in which a program that misbehaves answers. */
async function stage(t: TestContext) {
  const folder = temporaryDirectory(t);
  const processes = plainProcesses();
  const command = [process.execPath, fileURLToPath(import.meta.resolve('./testing/hostile-claude.ts'))];
  const environment = { HOME: join(folder, 'home'), PATH: process.env['PATH'] ?? '' };
  const provider = createClaudeProvider({ program: { command, environment, processes, clock }, directory: folder });
  let last = 0;
  const next = (): string => String((last += 1)).padStart(8, '0');
  const engine = new LoomEngine({
    store: createMemoryStore(),
    clock,
    ids: { next },
    hash: { hex: (text) => Buffer.from(text).toString('hex').slice(-64) },
    providers: [provider],
    tools: [],
    holder: 'here',
  });
  t.after(async () => {
    await engine.close();
    await processes.close();
  });
  const request = () => ({ agent: 'person', id: next() });
  const created = await engine.forest.createRoot(request(), { directory: folder });
  assert.ok(created.ok);
  const { root } = created.value;
  const state = () => engine.forest.log(root).state();
  const start = async (words: string): Promise<string> => {
    const parent = (await state()).recentLeaves(1)[0]?.id ?? root;
    const content: [{ type: 'text'; text: string }] = [{ type: 'text', text: words }];
    const said = await engine.forest.append(request(), root, { parent, messages: [{ role: 'user', content }] });
    assert.ok(said.ok);
    const node = said.value.nodes[0] ?? '';
    const started = await engine.turns.generate(request(), root, { node, provider: 'claude', model: 'm' });
    assert.ok(started.ok, JSON.stringify(started));
    return started.value.turns[0] ?? '';
  };
  const texts = async (): Promise<string[]> =>
    [...(await state()).nodes.values()].flatMap(({ blocks }) =>
      blocks.flatMap((block) => ('text' in block ? [block.text] : [])),
    );
  const say = async (words: string): Promise<string | undefined> => engine.turns.wait(await start(words));
  /** The next turn works, whatever came before. */
  const goesOn = async (): Promise<void> => {
    assert.equal(await say('nothing'), 'done');
    assert.equal((await texts()).at(-1), 'It was: nothing.');
  };
  return { engine, root, state, start, say, texts, goesOn, request };
}

test('[CI26] a program that dies behind any of its lines fails its turn, keeps what was said, and the next turn works', async (t) => {
  const { say, texts, goesOn } = await stage(t);
  for (let step = 0; step <= 6; step += 1) {
    assert.equal(await say(`die behind ${step}`), 'error', `behind ${step} lines`);
    if (step >= 4)
      assert.ok(
        (await texts()).some((text) => text.startsWith('Half')),
        `behind ${step} lines`,
      );
  }
  await goesOn();
});

test('[CI26] lines that repeat, lie about their names or are none at all change nothing that is true', async (t) => {
  const { say, texts, goesOn } = await stage(t);
  assert.equal(await say('repeat'), 'done');
  const said = await texts();
  assert.equal(said.filter((text) => text === 'Said once.').length, 1);
  assert.ok(said.includes('Said in the same message.'));
  assert.equal(await say('lie'), 'done');
  assert.ok((await texts()).includes('It was: lie.'));
  assert.equal(await say('endless line'), 'done');
  assert.ok((await texts()).includes('It was: endless line.'));
  await goesOn();
});

test('[CI26] a flood is stopped like any other turn, and the next one works', async (t) => {
  const { engine, root, start, texts, goesOn, request } = await stage(t);
  const turn = await start('flood');
  while (!(await texts()).some((text) => text.startsWith('flood flood'))) await rest();
  assert.ok((await engine.turns.abort(request(), root, turn)).ok);
  assert.equal(await engine.turns.wait(turn), 'stopped');
  await goesOn();
});

test('[CI26] questions about calls that were never made are denied, and one that is asked twice is decided once', async (t) => {
  const { engine, root, state, start, say, texts, goesOn, request } = await stage(t);
  assert.equal(await say('ask for nobody'), 'done');
  const turn = await start('ask twice');
  const find = async () =>
    [...(await state()).nodes.values()].find(({ ask, tool }) => ask !== undefined && tool === 'waiting');
  for (;;) {
    const node = await find();
    if (node !== undefined) {
      const decision = { node: node.id, decision: 'approved' as const, arguments: '{"command":"ls"}' };
      await engine.turns.decide({ ...request(), type: 'person' }, root, decision);
    }
    if ((await state()).turns.get(turn)?.ended !== undefined) break;
    await rest();
  }
  assert.ok((await texts()).includes('It was: ask twice.'));
  await goesOn();
});

test('[CI26] words behind a stop, and behind the end of a turn, are not said in the next one', async (t) => {
  const { engine, root, start, texts, goesOn, request } = await stage(t);
  const turn = await start('speak behind the stop');
  while (!(await texts()).includes('Before the stop.')) await rest();
  assert.ok((await engine.turns.abort(request(), root, turn)).ok);
  assert.equal(await engine.turns.wait(turn), 'stopped');
  await goesOn();
  assert.ok(!(await texts()).includes('Behind the stop.'));
});
