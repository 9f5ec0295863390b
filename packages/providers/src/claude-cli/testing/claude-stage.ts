import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { LoomEngine } from '@loom/kernel';
import type { Clock } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { createMemoryStore } from '@loom/stores/memory';
import { plainProcesses } from '../../testing/plain-processes.ts';
import { createClaudeProvider } from '../provider.ts';
import type { ClaudeOptions } from '../provider.ts';

const clock: Clock = {
  now: () => Date.now(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** A Loom in which the fake program answers. */
export async function createStage(
  t: TestContext,
  environment: Record<string, string> = {},
  { turn, prices }: { turn?: number; prices?: ClaudeOptions['prices'] } = {},
) {
  const folder = temporaryDirectory(t);
  const log = join(folder, 'log');
  writeFileSync(log, '');
  const processes = plainProcesses();
  const command = [process.execPath, fileURLToPath(import.meta.resolve('./fake-claude.ts')), log];
  const program = {
    command,
    environment: { HOME: folder, PATH: process.env['PATH'] ?? '', ...environment },
    processes,
    clock,
  };
  const provider = createClaudeProvider({ program, directory: folder, ...(prices === undefined ? {} : { prices }) });
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
    ...(turn === undefined ? {} : { spendingLimits: async () => ({ turn }) }),
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
  const start = async (parent: string, words: string): Promise<string> => {
    const content: [{ type: 'text'; text: string }] = [{ type: 'text', text: words }];
    const said = await engine.forest.append(request(), root, { parent, messages: [{ role: 'user', content }] });
    assert.ok(said.ok);
    const started = await engine.turns.generate(request(), root, {
      node: said.value.nodes[0] ?? '',
      provider: 'claude',
      model: 'm',
    });
    assert.ok(started.ok, JSON.stringify(started));
    return started.value.turns[0] ?? '';
  };
  const configure = async (config: object): Promise<void> => {
    const caller = { ...request(), type: 'person' as const, role: 'owner' as const, door: 'library' as const };
    const outcome = await engine.call('root.configure', caller, { root, config: { ...config } });
    assert.ok(outcome.ok, JSON.stringify(outcome));
  };
  const leaf = async (): Promise<string> => (await state()).recentLeaves(1)[0]?.id ?? root;
  const say = async (parent: string, words: string): Promise<string> => {
    await engine.turns.wait(await start(parent, words));
    return leaf();
  };
  const texts = async (node?: string): Promise<string[]> =>
    (await state())
      .pathTo(node ?? (await leaf()))
      .flatMap(({ blocks }) => blocks.map((block) => ('text' in block ? block.text : block.type)));
  const logged = (): unknown[] =>
    readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line): unknown => JSON.parse(line));
  const until = async <T>(ask: () => Promise<T | undefined>): Promise<T> => {
    for (;;) {
      const found = await ask();
      if (found !== undefined) return found;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const waiting = () =>
    until(async () =>
      [...(await state()).nodes.values()].find(({ ask, tool }) => ask !== undefined && tool === 'waiting'),
    );
  return { engine, provider, root, state, start, say, leaf, texts, logged, until, waiting, request, configure };
}

/** The starts of the program, without those that only asked something. */
export function starts(logged: readonly unknown[]): string[][] {
  return logged.filter((line): line is string[] => Array.isArray(line) && line[0] === '-p');
}
