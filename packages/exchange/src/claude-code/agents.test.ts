import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlainObject } from '@loom/blocks';
import { answer, call, line, read, result, said, text } from './testing/transcript.ts';

const side = { isSidechain: true };

test('[CC13] older sub-agents, which stand between the lines, are conversations of the calls that asked for their words', () => {
  const { forest, shape } = read([
    said('u1', null, 'Go'),
    answer('a1', 'u1', 'm1', call('t1', 'Task', { description: 'Look', prompt: 'Look there' })),
    answer('a2', 'a1', 'm1', call('t2', 'Task', { description: 'See', prompt: 'See here' })),
    said('x1', null, 'See here', side),
    said('y1', null, 'Look there', side),
    answer('x2', 'x1', 'm2', text('Seen'), side),
    answer('y2', 'y1', 'm3', text('Looked'), side),
    result('r2', 'a2', 't2', [text('Seen')]),
    result('r1', 'a1', 't1', [text('Looked')]),
  ]);
  assert.deepEqual(shape, ['u1', 'a1<u1', 'x1', 'y1', 'x2<x1', 'y2<y1', 'r2<a1', 'r1<r2']);
  assert.deepEqual(
    [...forest.conversations.values()].map(({ id, parent, title }) => [id, parent, title]),
    [
      ['u1', undefined, undefined],
      ['x1', { conversation: 'u1', call: 't2' }, 'See'],
      ['y1', { conversation: 'u1', call: 't1' }, 'Look'],
    ],
  );
});

test('[CC13] a sub-agent with a file of its own is named by its id; its call is told by the file beside it and by the result in the main file', () => {
  const agentId = 'a1157c2a89068ea74';
  const own: PlainObject[] = [
    said('x1', null, 'Look', { ...side, agentId }),
    answer('x2', 'x1', 'm2', text('Seen'), { ...side, agentId }),
  ];
  const { forest } = read(own, { session: 's1', agent: { id: agentId, call: 't1', title: 'Looks', kind: 'Explore' } });
  const [conversation] = forest.conversations.values();
  assert.equal(conversation?.id, `agent:${agentId}`);
  assert.deepEqual([conversation?.title, conversation?.parent], ['Looks', { conversation: 's1', call: 't1' }]);

  const main = read([
    said('u1', null, 'Go'),
    answer('a1', 'u1', 'm1', call('t1', 'Agent', { prompt: 'Look' })),
    result('r1', 'a1', 't1', [text('Seen')], { toolUseResult: { status: 'completed', agentId } }),
  ]);
  assert.deepEqual(
    [...main.forest.conversations.values()].map(({ id, parent }) => [id, parent]),
    [
      ['u1', undefined],
      [`agent:${agentId}`, { conversation: 'u1', call: 't1' }],
    ],
  );
  assert.deepEqual(main.shape, ['u1', 'a1<u1', 'r1<a1']);
});

test('[CC13] short ids of sub-agents are unique within their session alone; what is above may stand in the main file', () => {
  const { forest, shape } = read([
    said('x1', 'elsewhere', 'Sum it up', { ...side, agentId: 'a2018e5' }),
    said('x2', 'elsewhere-too', 'More', { ...side, agentId: 'a2018e5' }),
  ]);
  assert.deepEqual([...forest.conversations.keys()], ['agent:s1/a2018e5']);
  assert.deepEqual(shape, ['x1', 'x2<x1']);
});

test('[CC13] news of a sub-agent tells its call before the result does', () => {
  const { forest } = read([
    said('u1', null, 'Go'),
    answer('a1', 'u1', 'm1', call('t1', 'Task')),
    line('progress', 'p1', 'a1', { parentToolUseID: 't1', data: { type: 'agent_progress', agentId: 'a2018e5' } }),
  ]);
  assert.deepEqual(forest.conversations.get('agent:s1/a2018e5')?.parent, { conversation: 'u1', call: 't1' });
});

test('[CC14] a title that a person gave wins over one that was generated, and that over a summary of this conversation', () => {
  const titleOf = (...titles: PlainObject[]) => {
    const { forest } = read([
      { type: 'summary', summary: 'Of another', leafUuid: 'z9' },
      ...titles.slice(0, 1),
      said('u1', null, 'Go'),
      ...titles.slice(1),
    ]);
    return forest.conversations.get('u1')?.title;
  };
  const summary = { type: 'summary', summary: 'Summed up', leafUuid: 'u1' };
  const generated = { type: 'ai-title', aiTitle: 'Generated', sessionId: 's1' };
  const given = { type: 'custom-title', customTitle: 'Given', sessionId: 's1' };
  assert.equal(titleOf(), undefined);
  assert.equal(titleOf(summary), 'Summed up');
  assert.equal(titleOf(generated, summary), 'Generated');
  assert.equal(titleOf(given, generated, summary), 'Given');
  assert.equal(titleOf(summary, given, { ...given, customTitle: 'Given again' }), 'Given again');
});

test('[CC14] a conversation that begins with a prompt that was called by its name is titled by what was typed, as long as it has no other title', () => {
  const typed = (args: string): string =>
    `<command-message>plan is running…</command-message>\n<command-name>/plan</command-name>${args}`;
  const titleOf = (...lines: PlainObject[]) => [...read(lines).forest.conversations.values()][0]?.title;
  const meta = said('u0', null, '<command-name>/clear</command-name>');
  assert.equal(
    titleOf(meta, said('u1', 'u0', typed('\n<command-args>the parser\nand more</command-args>'))),
    '/plan the parser',
  );
  assert.equal(titleOf(said('u1', null, typed(''))), '/plan');
  assert.equal(titleOf(said('u1', null, 'Go'), said('u2', 'u1', typed(''))), undefined);
  assert.equal(titleOf(said('u1', 'elsewhere', typed(''))), undefined, 'what was said first is in another file');
  assert.equal(
    titleOf(said('u1', null, typed('')), { type: 'summary', summary: 'Summed up', leafUuid: 'u1' }),
    'Summed up',
  );
});
