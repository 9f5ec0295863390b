import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageBlock } from '@loom/blocks';
import { answer, call, line, read, result, said, text, withMessage } from './testing/transcript.ts';

const bytes = 'iVBORw0KGgo=';
const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: bytes } };

test('[CC8] a message may be a text, a list with bare texts, or nothing', () => {
  const { forest, reader } = read([
    line('user', 'u1', null, { message: 'Plain' }),
    said('u2', 'u1', ['bare', { type: 'text', text: 'and not \ud83d' }]),
    said('u3', 'u2', null),
    said('u4', 'u3', [{ type: 'text', text: 'See' }, picture, { type: 'hologram', depth: 3 }]),
  ]);
  const blocks = [...forest.nodes.values()].map((node) => [
    node.id,
    node.parent,
    ...node.blocks.map(({ key, block }) => [key, block]),
  ]);
  assert.deepEqual(blocks, [
    ['u1', undefined, ['u1', { type: 'text', text: 'Plain' }]],
    ['u2', 'u1', ['u2', { type: 'text', text: 'bare' }], ['u2#1', { type: 'text', text: 'and not \ufffd' }]],
    [
      'u4',
      'u2',
      ['u4', { type: 'text', text: 'See' }],
      ['u4#1', { type: 'image', media_type: 'image/png', url: `data:image/png;base64,${bytes}` }],
      ['u4#2', { type: 'raw', source: 'claude-code', value: { type: 'hologram', depth: 3 } }],
    ],
  ]);
  assert.deepEqual(reader.tally.counts, { read: 4, used: 3, raw: 1, reported: 0 });
  assert.deepEqual([...reader.tally.unknown], [['block hologram', 1]]);
});

test('[CC8] what a model wrote is kept so that its provider can be sent it back', () => {
  const { forest } = read([
    said('u1', null, 'Go'),
    answer('a1', 'u1', 'm1', { type: 'redacted_thinking', data: 'secret' }),
    answer('a2', 'a1', 'm1', { type: 'text', text: 'It is', citations: [{ url: 'https://x.example' }] }),
    answer('a3', 'a2', 'm1', { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } }),
    answer('a4', 'a3', 'm1', {
      type: 'web_search_tool_result',
      tool_use_id: 's1',
      content: [{ type: 'web_search_result', title: 'X', url: 'https://x.example' }],
    }),
    answer('a5', 'a4', 'm1', {
      ...call('t1', 'Edit', { __unparsedToolInput: { raw: '{"a":', len: 5 } }),
      caller: { type: 'direct' },
    }),
    answer('a6', 'a5', 'm1', text('so.')),
  ]);
  const [, message, found] = forest.nodes.values();
  assert.deepEqual(
    message?.blocks.map(({ block }) => block),
    [
      { type: 'thinking', text: '', provider: { anthropic: { redactedData: 'secret' } } },
      { type: 'text', text: 'It is', provider: { anthropic: { citations: [{ url: 'https://x.example' }] } } },
      {
        type: 'tool-use',
        id: 's1',
        name: 'web_search',
        parameters: { query: 'x' },
        executed: 'provider',
        provider: { anthropic: { native: { type: 'server_tool_use', id: 's1', name: 'web_search' } } },
      },
      {
        type: 'tool-use',
        id: 't1',
        name: 'Edit',
        parameters: {},
        arguments: '{"a":',
        provider: { anthropic: { caller: { type: 'direct' } } },
      },
      { type: 'text', text: 'so.' },
    ],
  );
  assert.deepEqual(
    found?.blocks.map(({ block }) => block.type),
    ['text', 'sources'],
  );
  assert.deepEqual([found?.role, found?.parent, found?.tool_call_id], ['tool', 'a1', 's1']);
});

test('[CC9] a result holds what the model saw, then views of it; what the tool reported goes with the first block', () => {
  const report = { stdout: 'a\nb', stderr: '', interrupted: false, isImage: false };
  const { forest } = read([
    said('u1', null, 'Go'),
    answer('a1', 'u1', 'm1', call('t1')),
    result('r1', 'a1', 't1', 'a\nb', { toolUseResult: report }),
    answer('b1', 'r1', 'm2', call('t2', 'Read', { file_path: '/x.png' })),
    result('r2', 'b1', 't2', [picture, text('A picture')], {
      toolUseResult: { type: 'image', file: { base64: bytes, type: 'image/png' } },
    }),
  ]);
  const [, , shown, , seen] = forest.nodes.values();
  assert.deepEqual(shown?.blocks, [
    { key: 'r1', block: { type: 'text', text: 'a\nb', provider: { 'claude-code': { tool_use_result: report } } } },
    { key: 'r1/view-0', block: { type: 'command', command: 'ls', stdout: 'a\nb' } },
  ]);
  assert.deepEqual(shown.source, { type: 'tool_result', tool_name: 'Bash' });
  assert.deepEqual(
    seen?.blocks.map(({ key, block }) => [key, block.type]),
    [
      ['r2', 'image'],
      ['r2#1', 'text'],
    ],
  );
  assert.deepEqual(seen.blocks[0]?.block.provider, {
    'claude-code': { tool_use_result: { type: 'image', file: { base64: '(in the content)', type: 'image/png' } } },
  });
  for (const { blocks } of forest.nodes.values())
    for (const { block } of blocks) assert.deepEqual(messageBlock.parse(block), block);
});

test('[CC10] a result says how its call ended: it came back, failed, was denied or interrupted, went on in the background, never ran', () => {
  const endOf = (content: string, fields: object = {}, isError = true) => {
    const part = { type: 'tool_result', tool_use_id: 't1', content, is_error: isError };
    const { forest } = read([
      said('u1', null, 'Go'),
      answer('a1', 'u1', 'm1', call('t1')),
      said('r1', 'a1', [part], { ...fields }),
    ]);
    const node = forest.nodes.get('u1\nr1');
    return [node?.tool, node?.is_error, node?.details];
  };
  assert.deepEqual(endOf('ok', {}, false), ['result', false, undefined]);
  assert.deepEqual(endOf('Exit code 7', { toolUseResult: 'Error: Exit code 7' }), ['error', true, undefined]);
  assert.deepEqual(endOf('No.', { toolDenialKind: 'user-rejected' }), ['denied', true, undefined]);
  assert.deepEqual(endOf("The user doesn't want to proceed with this tool use. STOP"), ['denied', true, undefined]);
  assert.deepEqual(endOf('[Request interrupted by user for tool use]'), ['interrupted', true, undefined]);
  assert.deepEqual(endOf('half', { toolUseResult: { stdout: 'half', interrupted: true } }, false), [
    'interrupted',
    true,
    undefined,
  ]);
  assert.deepEqual(endOf('<tool_use_error>No such tool</tool_use_error>'), ['error', true, { not_run: true }]);
  assert.deepEqual(endOf('Running', { toolUseResult: { stdout: '', backgroundTaskId: 'b1' } }, false), [
    'result',
    false,
    { backgrounded: true, task: 'b1' },
  ]);
});

test('[CC9] what one tool reported is not told of another whose result is on the same line', () => {
  const results = ['t1', 't2'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: `of ${id}` }));
  const { forest } = read([
    answer('a1', null, 'm1', call('t1', 'Bash', { command: 'one' })),
    answer('a2', 'a1', 'm1', call('t2', 'Bash', { command: 'two' })),
    said('r1', 'a2', results, { toolUseResult: { stdout: 'of t1', stderr: '', interrupted: true } }),
  ]);
  assert.deepEqual(
    [...forest.nodes.values()].slice(1).map(({ tool, blocks }) => [tool, ...blocks.map(({ block }) => block)]),
    ['t1', 't2'].map((id, index) => [
      'result',
      { type: 'text', text: `of ${id}` },
      { type: 'command', command: ['one', 'two'][index], stdout: `of ${id}` },
    ]),
  );
});

test('[CC11] commands of the program itself, and what they and commands of the shell print, are no words of a person', () => {
  const { forest } = read([
    said('u1', null, '<local-command-caveat>Caveat: …</local-command-caveat>'),
    said('u2', 'u1', '<command-name>/clear</command-name>\n            <command-message>clear</command-message>'),
    said('u3', 'u2', [text('<local-command-stdout>Set model</local-command-stdout>')]),
    said('u4', 'u3', '<bash-input>ls</bash-input>'),
    said('u5', 'u4', '<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>'),
    said('u6', 'u5', '<command-message>review</command-message>\n<command-name>/review</command-name>'),
    said('u7', 'u6', '<b>Go</b>'),
  ]);
  assert.deepEqual(
    [...forest.nodes.values()].filter(({ details }) => details === undefined).map(({ id }) => id),
    ['u4', 'u6', 'u7'],
  );
});

test('[CC11] what the program wrote itself is not taken for words of a person, and a failed call is an error', () => {
  const failed = answer('a1', 'u2', 'x', text('API Error: overloaded'), {
    isApiErrorMessage: true,
    error: 'overloaded',
  });
  const { forest } = read([
    said('u1', null, 'Caveat: …', { isMeta: true }),
    said('u2', 'u1', 'Go'),
    withMessage(failed, { model: '<synthetic>' }),
    said('u3', 'a1', [text('[Request interrupted by user]')]),
    said('u4', 'u3', 'Seen by people alone', { isVisibleInTranscriptOnly: true }),
    line('attachment', 'q1', 'u4', {
      attachment: { type: 'queued_command', prompt: 'And this', commandMode: 'prompt' },
    }),
  ]);
  const nodes = [...forest.nodes.values()];
  assert.deepEqual(
    nodes.map(({ id, details }) => [id, details]),
    [
      ['u1', { synthetic: true }],
      ['u2', undefined],
      ['a1', { synthetic: true }],
      ['u3', { synthetic: true }],
      ['q1', { queued: true }],
    ],
  );
  assert.deepEqual(nodes[2]?.blocks, [
    { key: 'a1', block: { type: 'error', code: 'overloaded', message: 'API Error: overloaded' } },
  ]);
  assert.deepEqual(nodes[2]?.source, {
    type: 'model',
    provider: 'anthropic',
    model_name: '<synthetic>',
    parameters: {},
    finish_reason: 'stop',
  });
});

test('[CC12] what a call cost is told once per answer, as the greatest of what its lines say', () => {
  const lineWith = (uuid: string, parent: string, block: object, output_tokens: number) => {
    const each = answer(uuid, parent, 'm1', { ...block });
    const usage = { input_tokens: 3, cache_read_input_tokens: 100, cache_creation_input_tokens: 10, output_tokens };
    return withMessage(each, { usage, stop_reason: 'tool_use' });
  };
  const { forest } = read([
    said('u1', null, 'Go'),
    lineWith('a1', 'u1', text('I'), 1),
    lineWith('a2', 'a1', call('t1'), 83),
    lineWith('a3', 'a2', call('t2'), 9),
  ]);
  const source = forest.nodes.get('u1\na1')?.source;
  assert.deepEqual(source, {
    type: 'model',
    provider: 'anthropic',
    model_name: 'claude-x',
    parameters: {},
    finish_reason: 'tool-use',
    usage: {
      input_tokens: 113,
      output_tokens: 83,
      cached_input_tokens: 100,
      cache_write_tokens: 10,
      raw: { input_tokens: 3, cache_read_input_tokens: 100, cache_creation_input_tokens: 10, output_tokens: 83 },
    },
  });
});
