import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, say } from '../testing/scripted-provider.ts';
import { createWorld, echoTool, until } from '../testing/world.ts';

test('[TU50] queued messages are put into another order; each is said once', async () => {
  const world = await createWorld([call(['c', 'write', '{}']), say('done'), say('next')], [echoTool('write', 'ask')]);
  const turn = await world.answer(await world.say('go'));
  await until(async () => (await world.nodes()).some(({ ask }) => ask !== undefined));
  const request = () => ({ agent: 'person', id: world.ids.next() });
  for (const text of ['a', 'b', 'c', 'd']) {
    assert.ok((await world.engine.turns.queue(request(), world.root, turn, [{ type: 'text', text }])).ok);
  }
  const [a = '', b = '', c = '', d = ''] = (await world.state()).waiting.keys();
  const queued = async (): Promise<string> =>
    [...(await world.state()).waiting.values()]
      .map(({ blocks: [said] }) => said?.type === 'text' && said.text)
      .join('');
  const reorder = (message: string, before: string | null) =>
    world.engine.turns.reorder(request(), world.root, message, before);
  assert.ok((await reorder(c, b)).ok);
  assert.equal(await queued(), 'acbd');
  assert.ok((await reorder(a, null)).ok);
  assert.equal(await queued(), 'cbda');
  assert.ok((await reorder(d, a)).ok);
  assert.equal(await queued(), 'cbda', 'it stands there already');
  const gone = await reorder(b, 'nothing');
  assert.equal(!gone.ok && gone.refusal.reason, 'message-taken');
  const waiting = (await world.nodes()).find(({ ask }) => ask !== undefined)?.id ?? '';
  const decision = { node: waiting, decision: 'approved' as const, arguments: '{}' };
  assert.ok((await world.engine.turns.decide({ ...request(), type: 'person' }, world.root, decision)).ok);
  await world.engine.turns.idle();
  const said = (await world.nodes()).flatMap(({ role, blocks }) =>
    role === 'user' ? blocks.map((block) => block.type === 'text' && block.text) : [],
  );
  assert.deepEqual(said, ['go', 'c', 'b', 'd', 'a']);
});

test('[TU119] what was queued with a credential that has ended is not said, in this process or in a later one', async () => {
  const scripts = () => [call(['c', 'write', '{}']), say('done'), say('next')];
  for (const who of ['the same process', 'a later process'] as const) {
    const world = await createWorld(scripts(), [echoTool('write', 'ask')]);
    const valid = new Set(['kept', 'other']);
    const credentials = {
      isKept: async (id: string) => id !== 'passing',
      isValid: async (id: string) => valid.has(id),
    };
    const process = world.another({ credentials });
    const request = (credential?: string) => ({
      agent: 'person',
      id: world.ids.next(),
      ...(credential === undefined ? {} : { credential }),
    });
    const params = { node: await world.say('go'), provider: 'scripted', model: 'one', tools: ['write'] };
    const started = await process.turns.generate(request('other'), world.root, params);
    assert.ok(started.ok);
    const [turn = ''] = started.value.turns;
    await until(async () => (await world.nodes()).some(({ ask }) => ask !== undefined));
    for (const credential of ['kept', 'other', 'passing', undefined]) {
      const block = { type: 'text' as const, text: `by ${credential}` };
      assert.ok((await process.turns.queue(request(credential), world.root, turn, [block])).ok);
    }
    const state = await world.state();
    assert.equal(state.turns.get(turn)?.credential, 'other');
    assert.deepEqual(
      [...state.waiting.values()].map(({ credential }) => credential),
      ['kept', 'other', undefined, undefined],
    );
    valid.delete('kept');
    if (who === 'a later process') await process.close();
    const later =
      who === 'a later process' ? world.another({ credentials, holder: 'later', exclusive: true }) : process;
    const node = (await world.nodes()).find(({ ask }) => ask !== undefined)?.id ?? '';
    const decision = { node, decision: 'approved' as const, arguments: '{}' };
    assert.ok((await later.turns.decide({ ...request(), type: 'person' }, world.root, decision)).ok);
    await later.turns.idle();
    const said = (await world.nodes()).flatMap(({ role, blocks }) =>
      role === 'user' ? blocks.map((block) => block.type === 'text' && block.text) : [],
    );
    assert.deepEqual(said, ['go', 'by other', 'by passing', 'by undefined'], who);
    assert.equal((await world.state()).waiting.size, 0);
    await later.close();
  }
});
