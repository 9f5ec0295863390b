import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '../../refusal.ts';
import { createWorld } from '../../testing/world.ts';
import type { Caller } from '../operation.ts';
import type { ParamsOf } from '../table.ts';

let requests = 0;

function by(given: Partial<Caller> = {}): Caller {
  requests += 1;
  return { agent: 'person', type: 'person', role: 'owner', door: 'library', id: `call-${requests}`, ...given };
}

function value<T>(outcome: Outcome<T>): T {
  return outcome.ok ? outcome.value : assert.fail(JSON.stringify(outcome.refusal));
}

/** Conversations by the names of their folders and programs, each with one message about herons. */
async function begin() {
  const world = await createWorld();
  const { engine } = world;
  const names = new Map<string, string>();
  const add = async (name: string, config: Record<string, unknown>): Promise<string> => {
    const { root } = value(await engine.call('root.create', by(), { config }));
    const messages = [{ role: 'user' as const, content: `a heron in ${name}` }];
    value(await engine.call('node.append', by(), { parent: root, messages }));
    names.set(root, name);
    return root;
  };
  const origin = { source: 'codex', id: 's1' };
  const roots = {
    tides: await add('tides', { directory: '/home/ada/tides' }),
    codex: await add('codex', { directory: '/home/ada/tides', origin }),
    loom: await add('loom', { directory: '/home/ada/loom' }),
    none: await add('none', {}),
  };
  const found = async (params: Partial<ParamsOf<'kernel.search'>>, caller = by()): Promise<unknown> => {
    const { conversations, searched, complete } = value(
      await engine.call('kernel.search', caller, { query: 'heron', ...params }),
    );
    assert.equal(complete, true);
    return [conversations.map(({ root }) => names.get(root) ?? '').sort(), searched.of];
  };
  return { engine, roots, found };
}

test('[OP177] a search is narrowed by project, by id or name, by program, and by conversation, all at once', async () => {
  const { engine, roots, found } = await begin();
  assert.deepEqual(await found({ project: ['tides'] }), [['codex', 'tides'], 2]);
  assert.deepEqual(await found({ project: ['/home/ada/loom'] }), [['loom'], 1]);
  // The world begins with a conversation that has no folder, either.
  assert.deepEqual(await found({ project: ['loom', ''] }), [['loom', 'none'], 3]);
  assert.deepEqual(await found({ project: ['tide'] }), [[], 0]);
  assert.deepEqual(await found({ source: ['codex'] }), [['codex'], 1]);
  assert.deepEqual(await found({ project: ['tides'], source: ['loom'] }), [['tides'], 1]);
  assert.deepEqual(await found({ project: ['tides'], roots: [roots.codex, roots.loom] }), [['codex'], 1]);
  assert.deepEqual(await found({ model: ['gpt'] }), [[], 0]);
  value(await engine.call('root.mark', by(), { root: roots.codex, archived: true }));
  assert.deepEqual(await found({ source: ['codex'] }), [['codex'], 1], 'archived ones are searched');
  const guest = by({ roots: [roots.tides] });
  assert.deepEqual(await found({ project: ['tides'] }, guest), [['tides'], 1], 'nothing is told of others');
});

test('[OP177] the pages of a narrowed search go on where the one before ended', async () => {
  const { engine, found } = await begin();
  await found({});
  const seen: string[] = [];
  let from: string | undefined;
  do {
    const params = {
      query: 'heron',
      project: ['tides', 'loom'],
      max_blocks: 1,
      ...(from === undefined ? {} : { from }),
    };
    const page = value(await engine.call('kernel.search', by(), params));
    seen.push(...page.blocks.map(({ block_id: block }) => block));
    from = page.next;
  } while (from !== undefined);
  assert.equal(new Set(seen).size, 3);
});

test('[OP178] blocks are located with the folder and the program of their conversation', async () => {
  const { engine, roots } = await begin();
  const places = async (root: string) => {
    const { blocks } = value(await engine.call('kernel.search', by(), { query: 'heron', roots: [root] }));
    const located = await engine.call('block.locate', by(), { blocks: blocks.map(({ block_id: block }) => block) });
    return value(located).places.map(({ directory, source }) => [directory, source]);
  };
  assert.deepEqual(await places(roots.codex), [['/home/ada/tides', 'codex']]);
  assert.deepEqual(await places(roots.none), [[undefined, undefined]]);
});
