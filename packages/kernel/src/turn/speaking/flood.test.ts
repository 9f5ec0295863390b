import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderEvent } from '@loom/kernel';
import { say } from '../../testing/scripted-provider.ts';
import { createWorld } from '../../testing/world.ts';

test('[TU27] a provider that never waits lets a timer of the same process fire, and is stopped by it', async () => {
  const world = await createWorld();
  async function* flood(): AsyncGenerator<ProviderEvent> {
    const [start, first] = say('');
    for (const event of [start, first]) if (event) yield event;
    for (;;) yield { type: 'block-delta', key: 'a', field: 'text', text: 'x' };
  }
  const clock = {
    now: Date.now,
    after: (milliseconds: number, callback: () => void) => {
      const timer = setTimeout(callback, milliseconds);
      return () => clearTimeout(timer);
    },
  };
  const engine = world.another({ clock, providers: [{ id: 'scripted', stream: flood }] });
  const node = await world.say('hello');
  const params = { node, provider: 'scripted', model: 'one' };
  const started = await engine.turns.generate({ agent: 'person', id: 'go' }, world.root, params);
  assert.ok(started.ok);
  const [turn = ''] = started.value.turns;
  const fired = new Promise<void>((resolve) => void setTimeout(resolve, 20));
  await fired;
  assert.ok((await engine.turns.abort({ agent: 'person', id: 'stop' }, world.root, turn)).ok);
  await engine.turns.wait(turn);
  const { blocks } = (await world.nodes()).at(-1) ?? assert.fail();
  const [text] = blocks;
  assert.ok(text?.type === 'text' && text.text.length < 10_000_000, 'it was stopped long before its limit');
  await engine.close();
});
