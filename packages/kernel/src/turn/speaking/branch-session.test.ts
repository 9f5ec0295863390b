import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameNode, nameRoot } from '../../state/foreign-names.ts';
import type { ProviderCall, ProviderEvent, SessionOptions, SessionOutcome } from '../../provider.ts';
import { say, ScriptedProvider } from '../../testing/scripted-provider.ts';
import { createWorld } from '../../testing/world.ts';
import type { World } from '../../testing/world.ts';
import type { SessionOrder, SessionPort } from './branch-session.ts';

/** A port that writes the ids of nodes, and remembers its orders. */
function idPort(): SessionPort & { orders: SessionOrder[] } {
  const orders: SessionOrder[] = [];
  return {
    orders,
    open: async (order) => {
      orders.push(order);
      if (order.format !== 'ids') return { ok: false, refusal: { reason: 'unknown-format', formats: ['ids'] } };
      const nodes = order.state.pathTo(order.end);
      return {
        ok: true,
        session: {
          id: 'session-1',
          path: 'sessions/1',
          command: ['ids', 'resume'],
          notes: () => [],
          async *lines() {
            for (const { id } of nodes) yield `${id}\n`;
          },
          names: (state) => [
            ...nameRoot(state.config, 'ids', ['session-1']),
            ...nodes.map((node) => nameNode(node, 'ids', { id: `named ${node.id}`, keys: [] })),
          ],
        },
      };
    },
  };
}

interface Asked {
  world: World;
  port: ReturnType<typeof idPort>;
  answers: SessionOutcome[];
  failures: unknown[];
}

/** A conversation with one answer, and a second one in which the provider asks for sessions. */
async function askFor(...asked: [format: string, options?: SessionOptions][]): Promise<Asked> {
  const answers: SessionOutcome[] = [];
  const failures: unknown[] = [];
  async function* asking(_request: unknown, call: ProviderCall): AsyncGenerator<ProviderEvent> {
    for (const [format, options] of asked) {
      await call.session(format, options).then(
        (answer) => answers.push(answer),
        (error: unknown) => failures.push(error),
      );
    }
    yield* say('handed over');
  }
  const world = await createWorld();
  const port = idPort();
  const provider = new ScriptedProvider(say('first'), asking);
  const engine = world.another({ holder: 'sessions', providers: [provider], sessions: port });
  for (const words of ['one', 'two']) {
    const params = { node: await world.say(words), provider: 'scripted', model: 'm' };
    const started = await engine.turns.generate({ agent: 'person', id: world.ids.next() }, world.root, params);
    assert.ok(started.ok);
    assert.equal(await engine.turns.wait(started.value.turns[0] ?? ''), 'done');
  }
  return { world, port, answers, failures };
}

test('[TU75] a provider gets a session of the branch up to the message to answer, whose names are in the log by then', async () => {
  const { world, answers } = await askFor(['ids']);
  const [answer] = answers;
  assert.ok(answer?.ok);
  const { session } = answer;
  const lines: string[] = [];
  for await (const line of session.lines()) lines.push(line.trimEnd());
  const nodes = (await world.nodes()).map(({ id }) => id);
  assert.deepEqual(lines, nodes.slice(0, 2));
  assert.deepEqual([session.id, session.path, session.end], ['session-1', 'sessions/1', nodes[1]]);
  const state = await world.state();
  assert.deepEqual(state.config['exported'], { ids: ['session-1'] });
  assert.deepEqual(
    [...state.nodes.values()].map(({ note }) => note?.['exported']),
    [...nodes.slice(0, 2).map((id) => ({ ids: { id: `named ${id}`, keys: [] } })), undefined, undefined],
  );
});

test('[TU75] it may say where the session ends and works', async () => {
  const probe = await createWorld();
  const node = (number: number): string => `${probe.root}/node-${number}`;
  const { world, port, answers, failures } = await askFor(
    ['ids', { end: node(1), directory: '/somewhere' }],
    ['ids', { end: node(3) }],
    ['ids', { end: 'elsewhere/node-1' }],
  );
  assert.equal(world.root, probe.root);
  assert.deepEqual(
    port.orders.map(({ end, directory }) => [end, directory]),
    [
      [node(1), '/somewhere'],
      [node(3), undefined],
    ],
  );
  assert.equal(answers.length, 2);
  assert.match(String(failures), /elsewhere\/node-1 is not a node of the trail/u);
});

test('[TU75] where there is none, it says why, and the call goes on', async () => {
  const { answers } = await askFor(['nothing-known']);
  assert.deepEqual(answers, [{ ok: false, refusal: { reason: 'unknown-format', formats: ['ids'] } }]);
});

test('[TU75] before anything was said, or where the engine writes no sessions, there is none', async () => {
  const answers: SessionOutcome[] = [];
  async function* asking(_request: unknown, call: ProviderCall): AsyncGenerator<ProviderEvent> {
    answers.push(await call.session('claude-code'));
    yield* say('well');
  }
  const world = await createWorld([asking, asking]);
  for (const words of ['one', 'two']) await world.engine.turns.wait(await world.answer(await world.say(words)));
  assert.deepEqual(answers, [
    { ok: false, refusal: { reason: 'nothing-said' } },
    { ok: false, refusal: { reason: 'unknown-format', formats: [] } },
  ]);
});
