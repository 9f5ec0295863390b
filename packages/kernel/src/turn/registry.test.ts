import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Provider, ProviderEvent } from '../provider.ts';
import { rest } from '../testing/virtual-clock.ts';
import { say, ScriptedProvider } from '../testing/scripted-provider.ts';
import { createWorld, until } from '../testing/world.ts';

/** Makes a provider that says into `log` when it is closed, and then does as it is told. */
function closing(id: string, log: string[], close: () => Promise<void>): Provider {
  return {
    id,
    stream: (request, call) => new ScriptedProvider(say('hello')).stream(request, call),
    close: () => {
      log.push(id);
      return close();
    },
  };
}

test('[TU45] closing the engine closes every provider once, also when it is closed again; one that fails disturbs no other', async () => {
  const world = await createWorld();
  const log: string[] = [];
  const broken = (): never => {
    throw new Error('at once');
  };
  const engine = world.another({
    providers: [
      closing('broken', log, broken),
      closing('failing', log, () => Promise.reject(new Error('later'))),
      closing('fine', log, () => Promise.resolve()),
      new ScriptedProvider(),
    ],
  });
  await Promise.all([engine.close(), engine.close()]);
  await engine.close();
  assert.deepEqual(log, ['broken', 'failing', 'fine']);
});

test('[TU45] providers are closed when their calls are over; one that never lets go is left behind after a second', async () => {
  const world = await createWorld();
  const log: string[] = [];
  async function* speaking(_request: unknown, { signal }: { signal: AbortSignal }): AsyncGenerator<ProviderEvent> {
    yield { type: 'call-start' };
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    log.push('its call ends');
  }
  const hanging = { ...closing('hanging', log, () => new Promise<void>(() => {})), stream: speaking };
  const engine = world.another({ providers: [hanging] });
  const params = { node: await world.say('go'), provider: 'hanging', model: 'one' };
  assert.ok((await engine.turns.generate({ agent: 'ann', id: 'asks' }, world.root, params)).ok);
  await rest();
  const closed = engine.close().then(() => log.push('closed'));
  await until(() => log.includes('hanging'));
  await world.clock.advanceAndRest(999);
  assert.deepEqual(log, ['its call ends', 'hanging']);
  await world.clock.advanceAndRest(1);
  await closed;
  assert.deepEqual(log, ['its call ends', 'hanging', 'closed']);
});
