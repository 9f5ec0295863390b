import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPlainObject, toolBlock } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { anyParameters } from '@loom/blocks/testing';
import type { Tool, ToolOutcome } from '@loom/kernel';
import * as fc from 'fast-check';
import { frozenClock, instantClock } from '@loom/kernel/testing';
import { contextWith } from '../../testing/streams.ts';
import { testToolContract } from '../../testing/tool-contract.ts';
import { runTool } from '../../testing/tool-results.ts';
import { demoTools } from './index.ts';

const tools = demoTools(instantClock());

function find(name: string, among: readonly Tool[] = tools): Tool {
  const tool = among.find((candidate) => candidate.name === name);
  assert.ok(tool !== undefined, name);
  return tool;
}

function invoke(tool: Tool, parameters: PlainObject, answer?: string): Promise<ToolOutcome> {
  return runTool(tool, invocationOf(tool, parameters), contextWith(new AbortController().signal, answer));
}

function invocationOf({ name }: Tool, parameters: PlainObject) {
  return { id: 'c', name, parameters, arguments: JSON.stringify(parameters) };
}

const samples: Readonly<Record<string, PlainObject>> = {
  ask_person: { question: 'Which?' },
  edit_file: { file_path: 'a.md', old_string: 'one\n', new_string: 'two\n' },
  flaky: {},
  run_command: { command: 'cat missing.txt' },
  search_pages: { query: 'wool' },
  slow_tool: { seconds: 3 },
  plan_tasks: {
    items: [
      { content: 'Spin', status: 'completed' },
      { content: 'Weave', status: 'pending' },
    ],
  },
  weather: { city: 'Oslo' },
  write_file: { file_path: 'a.md', content: 'one\ntwo\n' },
};

test('[DM22] tools are sorted by name, described by a schema, and ask where they should', async () => {
  const context = contextWith(new AbortController().signal);
  const prepared = tools.map(async (tool) => [
    tool.name,
    (await tool.prepare(invocationOf(tool, {}), context)).permission,
  ]);
  assert.deepEqual(await Promise.all(prepared), [
    ['ask_person', 'question'],
    ['edit_file', 'ask'],
    ['flaky', 'run'],
    ['plan_tasks', 'run'],
    ['run_command', 'ask'],
    ['search_pages', 'run'],
    ['slow_tool', 'run'],
    ['weather', 'run'],
    ['write_file', 'ask'],
  ]);
  for (const { name, description, parameters } of tools) {
    assert.notEqual(description, '');
    assert.equal(parameters['type'], 'object');
    const properties = parameters['properties'];
    assert.ok(isPlainObject(properties));
    for (const key of Object.keys(samples[name] ?? {})) assert.ok(Object.hasOwn(properties, key), `${name} ${key}`);
  }
});

test('[DM58] ask puts several questions with choices and tells the answers; what acts names the rule of always', async () => {
  const questions = [
    {
      question: 'Which?',
      several: true,
      options: [{ label: 'Warp', detail: 'long' }, { label: 'Weft' }, { label: 'Weft' }],
    },
    { question: 'Why?' },
    { nothing: 'that can be asked' },
  ];
  const context = contextWith(new AbortController().signal);
  const prepared = await find('ask_person').prepare(invocationOf(find('ask_person'), { questions }), context);
  assert.deepEqual(prepared.questions, [
    { text: 'Which?', several: true, choices: [{ label: 'Warp', detail: 'long' }, { label: 'Weft' }] },
    { text: 'Why?' },
  ]);
  const answers = [{ chosen: ['Warp', 'Weft'], text: 'not blue' }, { text: 'It is long' }];
  const told = await runTool(find('ask_person'), invocationOf(find('ask_person'), { questions }), {
    ...context,
    answers,
  });
  assert.deepEqual(told.content, [{ type: 'text', text: 'Which? Warp, Weft, not blue\nWhy? It is long' }]);
  const single = invocationOf(find('ask_person'), { question: 'Which?', options: ['Warp'] });
  const alone = await runTool(find('ask_person'), single, { ...context, answers: [{ chosen: ['Warp'] }] });
  assert.deepEqual(alone.content, [{ type: 'text', text: 'Warp' }]);
  const rulesOf = async (name: string) =>
    (await find(name).prepare(invocationOf(find(name), samples[name] ?? {}), context)).rules;
  assert.deepEqual(await rulesOf('run_command'), [
    { tool: 'run_command', command: 'cat missing.txt', effect: 'allow' },
  ]);
  assert.deepEqual(await rulesOf('write_file'), [{ tool: 'write_file', path: 'a.md', effect: 'allow' }]);
});

test('[DM59] run_command counts as far as it is told', async () => {
  let printed = '';
  const out = {
    start: async () => {},
    end: async () => {},
    append: async (_key: string, _field: string, text: string) => {
      printed += text;
    },
  };
  const tool = find('run_command');
  await tool.run(invocationOf(tool, { command: 'seq 4321' }), contextWith(new AbortController().signal), out);
  assert.equal(printed, `${Array.from({ length: 4321 }, (_, index) => index + 1).join('\n')}\n`);
});

test('[DM23] a result is the text for the model and a block for people', async () => {
  const contentOf = async (name: string, answer?: string) =>
    (await invoke(find(name), samples[name] ?? {}, answer)).content;
  assert.deepEqual(await contentOf('write_file'), [
    { type: 'text', text: 'Wrote a.md, 2 lines. (Only pretended.)' },
    {
      type: 'file-change',
      changes: [{ path: 'a.md', kind: 'add', diff: '--- /dev/null\n+++ a.md\n@@ -0,0 +1,2 @@\n+one\n+two\n' }],
    },
  ]);
  assert.deepEqual(await contentOf('edit_file'), [
    { type: 'text', text: 'Changed a.md. (Only pretended.)' },
    {
      type: 'file-change',
      changes: [{ path: 'a.md', kind: 'modify', diff: '--- a.md\n+++ a.md\n@@ -1,1 +1,1 @@\n-one\n+two\n' }],
    },
  ]);
  const [command, said] = await contentOf('run_command');
  assert.deepEqual(said, { type: 'text', text: 'Exit code 1\ncat: missing.txt: No such file or directory\n' });
  assert.ok(command?.type === 'command' && command.exit_code === 1 && command.command === 'cat missing.txt');
  assert.deepEqual(await contentOf('plan_tasks'), [
    { type: 'text', text: '1 of 2 tasks completed' },
    { type: 'todo', items: samples['plan_tasks']?.['items'] },
  ]);
  const [pages, sources] = await contentOf('search_pages');
  assert.ok(pages?.type === 'text' && sources?.type === 'sources' && sources.sources.length === 3);
  for (const { url } of sources.sources) assert.ok(pages.text.includes(`<${url}>`));
  assert.deepEqual(await contentOf('ask_person', 'the blue one'), [{ type: 'text', text: 'the blue one' }]);
  assert.deepEqual(await contentOf('slow_tool'), [{ type: 'text', text: 'Waited 3 s' }]);
});

test('[DM24] arguments decide the result, and bad ones are answered with advice', async () => {
  const samplesOrAny = (name: string) => fc.oneof(fc.constant(samples[name] ?? {}), anyParameters);
  for (const tool of tools) {
    await fc.assert(
      fc.asyncProperty(samplesOrAny(tool.name), async (parameters) => {
        const outcome = await invoke(tool, parameters);
        for (const block of outcome.content) assert.deepEqual(toolBlock.parse(block), block);
        assert.deepEqual(await invoke(find(tool.name, demoTools(instantClock())), parameters), outcome);
      }),
      { numRuns: 30 },
    );
    const advised = !['ask_person', 'flaky'].includes(tool.name);
    if (advised) assert.match(JSON.stringify(await invoke(tool, {})), /needs.*"is_error":true/u);
  }
  assert.equal((await invoke(find('ask_person'), {})).is_error, true);
  assert.equal((await invoke(find('edit_file'), { file_path: 'a', old_string: 'x', new_string: 'x' })).is_error, true);
});

test('[DM25] flaky fails by a result, or by rejecting if asked to', async () => {
  assert.equal((await invoke(find('flaky'), {})).is_error, true);
  await assert.rejects(invoke(find('flaky'), { way: 'reject' }), { code: 'flaky' });
});

test('[DM26] tools that take time stop when they are told to', async () => {
  for (const name of ['slow_tool', 'run_command']) {
    const clock = frozenClock();
    const tool = find(name, demoTools(clock));
    const controller = new AbortController();
    const running = runTool(tool, invocationOf(tool, samples[name] ?? {}), contextWith(controller.signal));
    assert.equal(clock.waiting(), 1);
    controller.abort();
    assert.equal((await running).is_error, true);
    assert.equal(clock.waiting(), 0);
  }
});

for (const tool of tools) {
  const make = (): Tool => find(tool.name, demoTools(instantClock()));
  const makeHeld = (): Tool => find(tool.name, demoTools(frozenClock()));
  testToolContract(tool.name, make, { samples: [samples[tool.name] ?? {}], isHarmless: true, makeHeld });
}
