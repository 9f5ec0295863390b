import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, say } from '../../testing/scripted-provider.ts';
import { events, once, opened, provoke, result, stop, text, toolUse, whole, wordsOf } from '../testing/provocation.ts';

test('[TU22] all calls of one provider call run, whichever of its messages they are in', async () => {
  const first = whole({ ...toolUse('1'), parameters: { zone: 'UTC' } });
  const second = whole({ ...toolUse('2'), parameters: { zone: 'CET' } }, { message: 'n' });
  const end = { type: 'call-end', reason: 'tool-use' };
  const { world, engine, turn } = await provoke({ stream: once(first, second, end) });
  assert.equal(await engine.turns.wait(turn), 'done');
  const results = (await world.nodes()).filter(({ role }) => role === 'tool');
  assert.deepEqual(
    results.map(({ tool_call_id: id, blocks }) => [id, ...blocks.flatMap(wordsOf)]),
    [
      ['1', 'echo {"zone":"UTC"}'],
      ['2', 'echo {"zone":"CET"}'],
    ],
  );
  assert.deepEqual((await world.state()).children.get(results[0]?.parent ?? ''), [results[0]?.id]);
});

test('[TU22] a call whose arguments come only with its end runs with these', async () => {
  const end = { type: 'block-end', key: 'k', block: { ...toolUse('1'), arguments: '{ "zone": "UTC" }' } };
  const stream = once(opened(toolUse('1')), end, { type: 'call-end', reason: 'tool-use' });
  const { world, engine, turn } = await provoke({ stream });
  assert.equal(await engine.turns.wait(turn), 'done');
  const results = (await world.nodes()).filter(({ role }) => role === 'tool');
  assert.deepEqual(
    results.flatMap(({ blocks }) => blocks.flatMap(wordsOf)),
    ['echo { "zone": "UTC" }'],
  );
});

test('[TU5] several messages of one provider call are one round', async () => {
  const rounds = [
    [whole(text), whole(toolUse('1'), { message: 'n' }), { type: 'call-end', reason: 'tool-use' }],
    say('that is all'),
  ];
  const { engine, turn } = await provoke({ stream: (round) => events(...(rounds[round] ?? [])), maxRounds: 2 });
  assert.equal(await engine.turns.wait(turn), 'done');
});

test('[TU22] an id that is used again in a later round is that of another call', async () => {
  const rounds = [call(['1', 'clock', '{"zone":"UTC"}']), call(['1', 'clock', '{"zone":"CET"}']), say('that is all')];
  const { world, engine, turn } = await provoke({ stream: (round) => events(...(rounds[round] ?? [])) });
  assert.equal(await engine.turns.wait(turn), 'done');
  const results = (await world.nodes()).filter(({ role }) => role === 'tool');
  assert.deepEqual(
    results.flatMap(({ blocks }) => blocks.flatMap(wordsOf)),
    ['echo {"zone":"UTC"}', 'echo {"zone":"CET"}'],
  );
});

test('[TU23] what a provider did with its own tools is one path, and its usage is given by its own last node', async () => {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const stream = once(
    whole(toolUse('1')),
    result('1', 'noon'),
    whole(text),
    whole(toolUse('2'), { message: 'n' }),
    result('2', 'midnight'),
    { type: 'usage', usage },
    stop,
  );
  const { world, engine, turn } = await provoke({ stream, runsTools: true });
  assert.equal(await engine.turns.wait(turn), 'done');
  const { children } = await world.state();
  assert.ok([...children.values()].every((siblings) => siblings.length <= 1));
  const told = (await world.nodes())
    .slice(1)
    .map((node) => [
      node.role,
      ...node.blocks.map(({ type }) => type),
      node.source.type === 'model' ? node.source.usage : node.source.type,
    ]);
  assert.deepEqual(told, [
    ['assistant', 'tool-use', 'text', undefined],
    ['tool', 'text', 'tool_result'],
    ['assistant', 'tool-use', usage],
    ['tool', 'text', 'tool_result'],
  ]);
});

test('[TU160] a call that fails with the error that was its last word says it once', async () => {
  const said = whole({ type: 'error', code: 'codex_error', message: 'It broke.' });
  const failed = { type: 'call-error', error: { code: 'invalid-request', message: 'It broke.' } };
  const { world, engine, turn } = await provoke({ stream: once(said, failed) });
  assert.equal(await engine.turns.wait(turn), 'error');
  const errors = (await world.nodes()).flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'error'));
  assert.equal(errors.length, 1);
});
