import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import { runs } from '@loom/blocks/testing/corpus';
import { LineSplitter } from '../foreign/line-splitter.ts';
import { assertValid, callsWithoutOneResult, GrownForest, readLines } from '../foreign/testing/forest.ts';
import { capturesOf, corpusOf, linesOf } from '../foreign/testing/material.ts';
import { createExecReader } from './exec-reader.ts';
import type { ExecFacts } from './exec-reader.ts';
import { recognizesExec } from './recognizing.ts';
import { createRolloutReader } from './rollout-reader.ts';

const started = { type: 'thread.started', thread_id: 't1' };
const done = (item: PlainObject): PlainObject => ({ type: 'item.completed', item });
const begun = (item: PlainObject): PlainObject => ({ type: 'item.started', item });
const command = (id: string, more: PlainObject = {}): PlainObject => ({
  id,
  type: 'command_execution',
  command: "/bin/bash -lc 'ls'",
  aggregated_output: '',
  exit_code: null,
  status: 'in_progress',
  ...more,
});
const ended = { aggregated_output: 'a\n', exit_code: 0, status: 'completed' };

function read(lines: readonly PlainObject[], facts?: ExecFacts): GrownForest {
  const written = lines.map((line) => JSON.stringify(line));
  const forest = readLines(createExecReader(facts), written);
  assertValid(forest);
  assert.deepEqual(readLines(createExecReader(facts), written, 1).plain(), forest.plain());
  return forest;
}

function outline(forest: GrownForest): unknown[] {
  return [...forest.nodes.values()].map(({ role, blocks }) => [
    role,
    ...blocks.map(({ block }) => ('text' in block ? `${block.type}: ${block.text}` : block.type)),
  ]);
}

test('[CD20] items become the words and the calls of the model, with one result for each call in the order of their ends', () => {
  const forest = read([
    started,
    { type: 'turn.started' },
    done({ id: 'item_0', type: 'reasoning', text: 'hm' }),
    begun(command('item_1')),
    begun(command('item_2')),
    done(command('item_2', { ...ended, exit_code: 3, status: 'failed' })),
    done(command('item_1', ended)),
    done({ id: 'item_3', item_type: 'assistant_message', text: 'done' }),
    { type: 'turn.completed', usage: { input_tokens: 5, output_tokens: 2 } },
  ]);
  assert.deepEqual(outline(forest), [
    ['assistant', 'thinking: hm', 'tool-use', 'tool-use'],
    ['tool', 'text: a\n', 'command'],
    ['tool', 'text: a\n', 'command'],
    ['assistant', 'text: done'],
  ]);
  assert.deepEqual(
    [...forest.nodes.values()].map(({ tool }) => tool),
    [undefined, 'error', 'result', undefined],
  );
  assert.deepEqual(callsWithoutOneResult(forest), []);
});

test('[CD20] a list of tasks is a call for each of its states, and its end is not told twice', () => {
  const list = (completed: boolean): PlainObject => ({
    id: 'item_0',
    type: 'todo_list',
    items: [{ text: 'a', completed }],
  });
  const forest = read([started, begun(list(false)), { type: 'item.updated', item: list(true) }, done(list(true))]);
  assert.deepEqual(outline(forest), [
    ['assistant', 'tool-use'],
    ['tool', 'todo'],
    ['assistant', 'tool-use'],
    ['tool', 'todo'],
  ]);
});

test('[CD20] words come once, whether in pieces, whole or only at the end of the turn; what was never finished stays', () => {
  const piece = (text: string): PlainObject => ({
    type: 'item.agent_message.delta',
    item: { id: 'm1', type: 'agent_message', content: { type: 'text', text } },
  });
  const end = { type: 'turn.completed', final_response: { type: 'text', text: 'ab' } };
  const whole = done({ id: 'm1', type: 'agent_message', text: 'ab' });
  for (const lines of [
    [piece('a'), piece('b'), whole, end],
    [whole, whole, end],
    [piece('a'), piece('b'), end],
    [end],
  ]) {
    assert.deepEqual(outline(read([started, ...lines])), [['assistant', 'text: ab']]);
  }
  assert.deepEqual(outline(read([started, piece('a')])), [['assistant', 'text: a']]);
});

test('[CD20] what an item is completed with counts, also where it was updated with other words', () => {
  const updated = (item: PlainObject): PlainObject => ({ type: 'item.updated', item });
  const forest = read([
    started,
    updated({ id: 'item_0', type: 'agent_message', text: 'The answer is 41' }),
    done({ id: 'item_0', type: 'agent_message', text: 'It is 42.' }),
    updated({ id: 'item_1', type: 'reasoning', text: 'Let me' }),
    updated({ id: 'item_1', type: 'reasoning', text: ' see' }),
    done({ id: 'item_1', type: 'reasoning' }),
  ]);
  assert.deepEqual(outline(forest), [['assistant', 'text: It is 42.', 'thinking: Let me see']]);
});

test('[CD21] calls that are open when the turn or the process ends were interrupted; a result that comes later joins them', () => {
  const open = read([started, begun(command('item_0'))]);
  assert.deepEqual(
    [...open.nodes.values()].map(({ tool }) => tool),
    [undefined, 'interrupted'],
  );
  const reader = createExecReader();
  const forest = new GrownForest();
  for (const line of [started, begun(command('item_0'))]) reader.push(JSON.stringify(line));
  reader.end();
  forest.add(reader.take());
  reader.push(JSON.stringify(done(command('item_0', ended))));
  reader.end();
  forest.add(reader.take());
  const results = [...forest.nodes.values()].filter(({ role }) => role === 'tool');
  assert.deepEqual(
    results.map(({ tool, is_error: isError }) => [tool, isError]),
    [['result', false]],
  );
});

test('[CD22] a lost connection is no end: what was said stays, and the answer that follows is another', () => {
  const words = (id: string): PlainObject => done({ id, type: 'agent_message', text: 'partial' });
  const error = { type: 'error', message: 'Reconnecting... 1/2 (reset)' };
  const final = 'rate limit exceeded';
  const forest = read([
    started,
    words('item_0'),
    error,
    words('item_1'),
    { type: 'error', message: final },
    { type: 'turn.failed', error: { message: final } },
  ]);
  assert.deepEqual(outline(forest), [
    ['assistant', 'text: partial'],
    ['assistant', 'text: partial'],
    ['assistant', 'error'],
  ]);
  const recovered = read([started, { type: 'error', message: 'odd' }, words('item_0'), { type: 'turn.completed' }]);
  assert.deepEqual(outline(recovered), [['assistant', 'text: partial']]);
});

test('[CD22] the usage of a thread is told as a sum, and counted as what is new', () => {
  const turn = (input: number): PlainObject => ({
    type: 'turn.completed',
    usage: { input_tokens: input, output_tokens: 1 },
  });
  const forest = read(
    [
      started,
      done({ id: 'a', type: 'agent_message', text: '1' }),
      turn(30),
      started,
      done({ id: 'a', type: 'agent_message', text: '2' }),
      turn(70),
    ],
    { usedBefore: { input_tokens: 10, output_tokens: 1 } },
  );
  const usages = [...forest.nodes.values()].map(({ source }) =>
    source.type === 'model' ? source.usage?.input_tokens : 0,
  );
  assert.deepEqual(usages, [20, 40]);
});

test('[CD23] processes that count their items anew do not mix them up, and an agent that was sent out is linked', () => {
  const words = (text: string): PlainObject => done({ id: 'item_0', type: 'agent_message', text });
  const spawn = {
    id: 'item_1',
    type: 'collab_tool_call',
    tool: 'spawn_agent',
    status: 'completed',
    receiver_thread_ids: ['t2'],
  };
  const forest = read([
    started,
    words('one'),
    started,
    words('two'),
    done(spawn),
    { ...started, thread_id: 't3' },
    words('three'),
  ]);
  assert.deepEqual(
    forest.nodesOf('t1').map(({ blocks }) => blocks.length),
    [1, 2, 0],
  );
  assert.equal(forest.nodesOf('t3').length, 1);
  assert.equal(forest.conversations.get('t2')?.parent?.conversation, 't1');
});

test('[CD24] comments, cut lines, other lines and unknown kinds are counted; an unknown item is kept as it is', () => {
  const reader = createExecReader();
  const lines = [
    '# LIVE CAPTURE',
    JSON.stringify(started),
    'Reading additional input from stdin...',
    '{"type":"turn.started"',
    JSON.stringify({ type: 'turn.rate_limited', retry_after: 3 }),
    JSON.stringify({ type: 'thread.bloomed' }),
    JSON.stringify(done({ id: 'item_0', type: 'future_item', petals: 5 })),
  ];
  const forest = readLines(reader, lines);
  assert.deepEqual(reader.tally.counts, { read: 7, used: 3, raw: 2, reported: 2 });
  assert.deepEqual(outline(forest), [['assistant', 'raw']]);
});

const captures = capturesOf('codex/x0*/stdout.ndjson', 'codex/x1*/stdout.ndjson');
const corpus = corpusOf('cli-streams', 'codex-exec/**/*.jsonl');

test(
  '[CD25] every stream of the corpus and of the captures is read, and every call in it has one result',
  corpus,
  () => {
    const files = [...corpus.files, ...captures.files];
    assert.ok(files.length > 25);
    for (const path of files) {
      const lines = linesOf(path);
      const forest = readLines(createExecReader(), lines);
      assertValid(forest);
      assert.deepEqual(readLines(createExecReader(), lines, 7).plain(), forest.plain(), path);
      assert.deepEqual(callsWithoutOneResult(forest), [], path);
      const isEmpty = lines.length === 0 || forest.nodes.size === 0;
      assert.ok(isEmpty || recognizesExec(path, lines.slice(0, 20).join('\n')), path);
    }
  },
);

test('[CD25] a stream gives the same wherever its bytes are cut, and with other line ends', captures, () => {
  for (const path of captures.files) {
    const bytes = readFileSync(path);
    const whole = JSON.stringify(readPieces([bytes]).plain());
    const crlf = Buffer.from(bytes.toString('utf8').replaceAll('\n', '\r\n'));
    assert.equal(JSON.stringify(readPieces([crlf]).plain()), whole, path);
    const places = bytes.length > 65_536 ? 500 : bytes.length;
    const tried = Math.min(places, runs(6, places));
    for (let index = 0; index < tried; index += 1) {
      const at = Math.floor(((index + 0.5) / tried) * bytes.length);
      assert.equal(
        JSON.stringify(readPieces([bytes.subarray(0, at), bytes.subarray(at)]).plain()),
        whole,
        `${path} at ${at}`,
      );
    }
  }
});

test('[CD26] the stream and the session of one run say the same, as far as both say it', captures, () => {
  let compared = 0;
  for (const path of captures.files) {
    const session = join(path, '../transcript.jsonl');
    const [transcript] = capturesOf(`codex/${join(path, '..').split('/').at(-1)}/transcript.jsonl`).files;
    // The session of a continued or forked thread holds more than the stream; for the others both hold the same.
    if (transcript === undefined || /x13|x17|x19/.test(session)) continue;
    const stream = said(readLines(createExecReader(), linesOf(path)));
    const rollout = said(readLines(createRolloutReader(), linesOf(transcript)));
    for (const kind of kinds) {
      const both = isLossy.has(kind) ? rollout[kind].filter((words) => stream[kind].includes(words)) : rollout[kind];
      assert.deepEqual(stream[kind], both, `${path}: ${kind}`);
      compared += stream[kind].length;
    }
  }
  assert.ok(compared > 40, `${compared} blocks were compared`);
});

const kinds = ['text', 'thinking', 'command', 'change', 'search', 'error'] as const;

/** The stream leaves out calls that failed early or did not end. */
const isLossy: ReadonlySet<string> = new Set(['command', 'change']);

/** Returns the content that both forms carry: the model's texts, and its commands, changes and searches. */
function said(forest: GrownForest): Record<(typeof kinds)[number], string[]> {
  const found: Record<(typeof kinds)[number], string[]> = {
    text: [],
    thinking: [],
    command: [],
    change: [],
    search: [],
    error: [],
  };
  for (const node of forest.nodes.values()) {
    const thoughts = node.blocks.flatMap(({ block }) =>
      block.type === 'thinking' && block.text !== '' ? [block.text] : [],
    );
    if (thoughts.length > 0) found.thinking.push(thoughts.join('\n'));
    for (const { block } of node.blocks) {
      if (block.type === 'text' && node.role === 'assistant') found.text.push(block.text);
      if (block.type === 'error' && block.code !== 'warning') found.error.push(block.message);
      for (const [kind, words] of viewed(block)) found[kind].push(words);
    }
  }
  return found;
}

function viewed(block: MessageBlock): ['command' | 'change' | 'search', string][] {
  if (block.type === 'command') return [['command', JSON.stringify([block.command, block.stdout, block.exit_code])]];
  // The stream has no diffs, orders the files differently, and reports a rename as a change of the old file.
  if (block.type === 'file-change')
    return [
      [
        'change',
        block.changes
          .map(({ path, from }) => from ?? path)
          .toSorted()
          .join(' '),
      ],
    ];
  if (block.type !== 'tool-use' || block.name !== 'web_search') return [];
  return [['search', JSON.stringify([block.id, block.parameters])]];
}

function readPieces(pieces: readonly Uint8Array[]): GrownForest {
  const reader = createExecReader();
  const splitter = new LineSplitter({ line: (text) => reader.push(text), tooLong: () => {} });
  for (const piece of pieces) splitter.push(piece);
  splitter.end();
  reader.end();
  return new GrownForest().add(reader.take());
}
