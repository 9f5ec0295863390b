import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { LoomEngine } from '@loom/kernel';
import type { Clock, Provider } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { createMemoryStore } from '@loom/stores/memory';
import { plainProcesses } from '../../testing/plain-processes.ts';
import type { AgentProgram } from '../agent-program.ts';

const clock: Clock = {
  now: () => Date.now(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Opens a Loom in which a program that misbehaves answers; `words` are its script and the words behind it. */
export async function hostileStage(
  t: TestContext,
  words: readonly string[],
  create: (parts: { program: AgentProgram; directory: string }) => Provider,
) {
  const folder = temporaryDirectory(t);
  const home = join(folder, 'home');
  const processes = plainProcesses();
  const command = [process.execPath, ...words];
  const environment = { HOME: home, PATH: process.env['PATH'] ?? '' };
  const provider = create({ program: { command, environment, processes, clock }, directory: folder });
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
  const start = async (text: string): Promise<string> => {
    const parent = (await state()).recentLeaves(1)[0]?.id ?? root;
    const content: [{ type: 'text'; text: string }] = [{ type: 'text', text }];
    const said = await engine.forest.append(request(), root, { parent, messages: [{ role: 'user', content }] });
    assert.ok(said.ok);
    const node = said.value.nodes[0] ?? '';
    const started = await engine.turns.generate(request(), root, { node, provider: provider.id, model: 'default' });
    assert.ok(started.ok, JSON.stringify(started));
    return started.value.turns[0] ?? '';
  };
  const texts = async (): Promise<string[]> =>
    [...(await state()).nodes.values()].flatMap(({ blocks }) =>
      blocks.flatMap((block) => ('text' in block ? [block.text] : [])),
    );
  const say = async (text: string): Promise<string | undefined> => engine.turns.wait(await start(text));
  /** The next turn works, whatever came before. */
  const goesOn = async (): Promise<void> => {
    assert.equal(await say('nothing'), 'done');
    assert.equal((await texts()).at(-1), 'It was: nothing.');
  };
  return { engine, root, home, processes, state, start, say, texts, goesOn, request };
}
