import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import * as fc from 'fast-check';
import { Tally } from '../foreign/foreign.ts';
import { assertValid, callsWithoutOneResult, GrownForest, outlineOf } from '../foreign/testing/forest.ts';
import { corpusOf } from '../foreign/testing/material.ts';
import { parseOpencodeExport, readOpencodeSession, recognizesOpencodeExport } from './opencode-session.ts';
import type { OpencodeSession } from './opencode-session.ts';
import { readOpencodeDatabase, readOpencodeStorage, recognizesOpencodeStorage } from './opencode-storage.ts';
import type { StorageFiles } from './opencode-storage.ts';

const exported = readFileSync(join(import.meta.dirname, 'fixtures/export.json'), 'utf8');
const info = { id: 'ses_1', projectID: 'p', directory: '/project', title: 'T', time: { created: 1_730_000_000_000 } };
const over = { created: 1_730_000_000_000, completed: 1_730_000_001_000 };
const assistant = { id: 'msg_1', role: 'assistant', providerID: 'openai', modelID: 'gpt', time: over };
const tool = (status: string, more: PlainObject = {}): PlainObject => ({
  id: 'prt_t',
  type: 'tool',
  tool: 'bash',
  callID: 'c1',
  state: { status, input: { command: 'ls' }, ...more },
});

function read(session: OpencodeSession, tally = new Tally()): GrownForest {
  const forest = new GrownForest().add(readOpencodeSession(session, tally));
  assertValid(forest);
  return forest;
}

test('[OC1] what opencode exports is read whole: words, thoughts, calls with one result each and their views, usage, sent-out agents', () => {
  const session = parseOpencodeExport(exported);
  assert.ok(session !== undefined);
  const tally = new Tally();
  const forest = read(session, tally);
  assert.deepEqual(tally.counts, { read: 12, used: 12, raw: 0, reported: 0 });
  assert.deepEqual(callsWithoutOneResult(forest), []);
  assert.deepEqual(outlineOf(forest).slice(0, 5), [
    'user text',
    'assistant thinking text tool-use',
    'tool text code',
    'assistant tool-use',
    'tool text command',
  ]);
  const usages = [...forest.nodes.values()].flatMap(({ source }) =>
    source.type === 'model' ? [source.usage?.input_tokens ?? 0] : [],
  );
  assert.equal(
    usages.reduce((sum, tokens) => sum + tokens, 0),
    10_000,
  );
  assert.equal(
    forest.conversations.get('ses_e1f49fabaffe5KAjnOxXSZxKjb')?.parent?.call,
    'call_25aea7f22e9988619ec0027e',
  );
});

test('[OC2] a message of several steps is an answer for each, its tokens counted once; a summary starts a new context', () => {
  const parts = [
    { id: 'p1', type: 'step-start' },
    { id: 'p2', type: 'text', text: 'one' },
    tool('completed', { output: 'a\n', metadata: { exit: 0 } }),
    { id: 'p3', type: 'step-finish' },
    { id: 'p4', type: 'step-start' },
    { id: 'p5', type: 'text', text: 'two' },
  ];
  const forest = read({
    info,
    messages: [{ info: { ...assistant, summary: true, tokens: { input: 3, output: 1 } }, parts }],
  });
  assert.deepEqual(outlineOf(forest), ['assistant text tool-use', 'tool text command', 'assistant text']);
  const nodes = [...forest.nodes.values()];
  assert.deepEqual(
    nodes.map(({ source }) => source.type === 'model' && source.usage !== undefined),
    [true, false, false],
  );
  assert.deepEqual(
    nodes.map(({ context_start: start }) => start === true),
    [true, false, false],
  );
});

test('[OC3] what opencode added to what a person said is a node of its own, and marked; errors are told', () => {
  const parts = [
    { id: 'p1', type: 'text', text: 'look at @a' },
    { id: 'p2', type: 'text', text: 'Called the Read tool', synthetic: true },
    { id: 'p3', type: 'file', mime: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=', filename: 'a.png' },
  ];
  const error = { name: 'APIError', data: { message: 'overloaded' } };
  const forest = read({
    info,
    messages: [
      { info: { id: 'm0', role: 'user' }, parts },
      { info: { ...assistant, error }, parts: [] },
    ],
  });
  assert.deepEqual(outlineOf(forest), ['user text', 'user text', 'user image', 'assistant error']);
  assert.deepEqual(
    [...forest.nodes.values()].map(({ details }) => details?.synthetic === true),
    [false, true, false, false],
  );
});

test('[OC3] how a call ended is what opencode says; one that runs has no result yet, one that never ended was interrupted', () => {
  const states: [PlainObject, PlainObject, string | undefined][] = [
    [tool('completed', { output: 'x' }), over, 'result'],
    [tool('error', { error: 'no such file' }), over, 'error'],
    [tool('error', { error: 'The user rejected permission to use this specific tool call.' }), over, 'denied'],
    [tool('error', { error: 'Tool execution aborted' }), over, 'interrupted'],
    [tool('running'), over, 'interrupted'],
    [tool('running'), { created: 1 }, undefined],
  ];
  for (const [part, time, state] of states) {
    const forest = read({ info, messages: [{ info: { ...assistant, time }, parts: [part] }] });
    assert.equal([...forest.nodes.values()][1]?.tool, state);
  }
});

test('[OC4] unknown kinds are counted and kept, and nothing makes the readers throw', () => {
  const tally = new Tally();
  const forest = read(
    {
      info,
      messages: [
        { info: assistant, parts: [{ id: 'p', type: 'hologram' }] },
        { info: { id: 'x', role: 'ghost' }, parts: [] },
      ],
    },
    tally,
  );
  assert.deepEqual([...tally.unknown.keys()], ['part/hologram', 'message/ghost']);
  assert.deepEqual(outlineOf(forest), ['assistant raw']);
  const field = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('text', 'tool', 'a', { status: 'completed', input: {} }),
  );
  const object = fc.dictionary(
    fc.constantFrom('id', 'type', 'text', 'tool', 'callID', 'state', 'url', 'metadata', 'time', 'tokens'),
    field,
  );
  const message = fc.tuple(object, fc.array(object, { maxLength: 4 }), fc.constantFrom('user', 'assistant'));
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), (messages) => {
      const named = messages.map(([own, parts, role], index) => ({
        info: { ...own, id: `m${index}`, role },
        parts: parts.map((part, at) => ({ ...part, id: `p${index}.${at}` })),
      }));
      read({ info, messages: named });
      assert.equal(parseOpencodeExport(JSON.stringify({ info: messages })), undefined);
    }),
    { numRuns: 100 },
  );
});

const storage: StorageFiles = {
  async list(folder) {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  },
  async read(path) {
    return readFileSync(path, 'utf8');
  },
};
const heads = corpusOf('other-agent-sessions', 'opencode/**/session/**/*.json');

test('[OC5] a session is gathered from the files around its head, in all forms of the storage', heads, async () => {
  for (const path of heads.files) {
    assert.ok(recognizesOpencodeStorage(path, readFileSync(path, 'utf8')), path);
    const { session, broken } = await readOpencodeStorage(path, storage);
    assert.ok(session !== undefined && broken.length === 0);
    const forest = read(session);
    assert.ok(forest.blocks.length > 0, path);
    assert.deepEqual(callsWithoutOneResult(forest), []);
  }
});

test('[OC5] a part that cannot be read is named, and the rest is gathered', async () => {
  const session = { ...info, id: 'ses_1' };
  const made = new Map([
    ['s/session/p/ses_1.json', JSON.stringify(session)],
    ['s/message/ses_1/msg_1.json', JSON.stringify(assistant)],
    ['s/part/msg_1/prt_1.json', '{"id":"prt_1","type":"text","text":"a"}'],
    ['s/part/msg_1/prt_2.json', '{"id":'],
  ]);
  const files: StorageFiles = {
    list: async (folder) =>
      [...made.keys()]
        .filter((path) => path.startsWith(`${folder}/`))
        .map((path) => path.slice(folder.length + 1))
        .filter((name) => !name.includes('/')),
    read: async (path) => made.get(path) ?? '',
  };
  const { session: gathered, broken } = await readOpencodeStorage('s/session/p/ses_1.json', files);
  assert.deepEqual(broken, ['s/part/msg_1/prt_2.json']);
  assert.deepEqual(gathered === undefined ? [] : outlineOf(read(gathered)), ['assistant text']);
});

test('[OC6] the database of newer versions gives the same session as its export', () => {
  const session = parseOpencodeExport(exported);
  assert.ok(session !== undefined);
  const database = new DatabaseSync(':memory:');
  database.exec(`CREATE TABLE session (id TEXT, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, version TEXT, time_created INTEGER);
    CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
    CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT)`);
  const { id, projectID, directory, title, version } = session.info;
  const values = [id, projectID, directory, title, version].map(String);
  database.prepare('INSERT INTO session VALUES (?, ?, NULL, ?, ?, ?, ?)').run(...values, 1_794_771_382_134);
  for (const { info: own, parts } of session.messages) {
    database.prepare('INSERT INTO message VALUES (?, ?, 0, ?)').run(String(own.id), String(id), JSON.stringify(own));
    for (const part of parts)
      database
        .prepare('INSERT INTO part VALUES (?, ?, ?, ?)')
        .run(String(part.id), String(own.id), String(id), JSON.stringify(part));
  }
  let broken = 0;
  const query = (sql: string, ...parameters: string[]): PlainObject[] =>
    database
      .prepare(sql)
      .all(...parameters)
      .map((row) => ({ ...row }))
      .filter(isPlainObject);
  const [found, ...others] = readOpencodeDatabase(query, () => (broken += 1));
  database.close();
  assert.ok(found !== undefined && others.length === 0 && broken === 0);
  assert.deepEqual(read(found).plain(), read(session).plain());
});

test('[OC7] exports and heads of sessions are known by how they begin, and heads by their place', () => {
  assert.ok(recognizesOpencodeExport('a', exported.slice(0, 2000)));
  assert.ok(recognizesOpencodeExport('a', `Exporting session: ses_1\n${exported.slice(0, 2000)}`));
  const head = JSON.stringify(info);
  assert.ok(recognizesOpencodeStorage('x/storage/session/p/ses_1.json', head));
  assert.ok(!recognizesOpencodeStorage('x/ses_1.json', head) && !recognizesOpencodeExport('a', head));
  for (const other of ['', '{}', '{"info":{}}', '[]']) assert.ok(!recognizesOpencodeExport('a', other));
});

test('[OC8] what the table session_message holds is read: words, files, thoughts, calls with results, summaries, what opencode wrote itself', () => {
  const database = new DatabaseSync(':memory:');
  database.exec(`CREATE TABLE session (id TEXT, project_id TEXT, directory TEXT, title TEXT, time_created INTEGER);
    CREATE TABLE session_message (id TEXT, session_id TEXT, type TEXT, seq INTEGER, time_created INTEGER, data TEXT);`);
  database.prepare('INSERT INTO session VALUES (?, ?, ?, ?, ?)').run('ses_1', 'p', '/project', 'T', 1);
  const model = { id: 'gpt-x', providerID: 'openai' };
  const time = { created: 10, completed: 20 };
  const rows: [string, PlainObject][] = [
    ['model-switched', { time, model }],
    [
      'user',
      { time, text: 'Look', files: [{ uri: 'data:image/png;base64,iVBORw0KGgo=', mime: 'image/png', name: 'a.png' }] },
    ],
    [
      'assistant',
      {
        time,
        model,
        agent: 'build',
        tokens: { input: 3, output: 4, reasoning: 1, cache: { read: 2, write: 0 } },
        cost: 0.5,
        finish: 'tool-calls',
        content: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'I look.' },
          {
            type: 'tool',
            id: 'c1',
            name: 'bash',
            state: { status: 'completed', input: { command: 'ls' }, content: [{ type: 'text', text: 'a.png' }] },
            time,
          },
          {
            type: 'tool',
            id: 'c2',
            name: 'read',
            state: { status: 'error', input: { filePath: 'b' }, error: { type: 'unknown', message: 'There is no b.' } },
            time,
          },
        ],
      },
    ],
    ['shell', { time, command: 'pwd', output: '/project' }],
    ['compaction', { time, status: 'completed', reason: 'auto', summary: 'We looked.' }],
    ['synthetic', { time, text: 'Go on.' }],
    ['idle', { time, outcome: 'succeeded' }],
    ['hologram', { time }],
  ];
  for (const [index, [type, data]] of rows.entries())
    database
      .prepare('INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?)')
      .run(`msg_${9 - index}`, 'ses_1', type, index, 10, JSON.stringify(data));
  const query = (sql: string, ...values: string[]): PlainObject[] => database.prepare(sql).all(...values);
  const [session, second] = [...readOpencodeDatabase(query, () => assert.fail())];
  database.close();
  assert.equal(second, undefined);
  const tally = new Tally();
  const forest = read(session ?? assert.fail(), tally);
  assert.deepEqual(tally.counts, { read: 8, used: 7, raw: 1, reported: 0 });
  assert.deepEqual(outlineOf(forest), [
    'user text image',
    'assistant thinking text tool-use tool-use',
    'tool text command',
    'tool text',
    'user text',
    'assistant text',
    'user text',
    'user raw',
  ]);
  assert.deepEqual(callsWithoutOneResult(forest), []);
  const nodes = [...forest.nodes.values()];
  const written = nodes.flatMap(({ details }, index) => (details?.['synthetic'] === true ? [index] : []));
  assert.deepEqual(written, [4, 6, 7]);
  assert.equal(nodes[5]?.context_start, true);
  assert.partialDeepStrictEqual(nodes[1]?.source, {
    provider: 'openai',
    model_name: 'gpt-x',
    usage: { input_tokens: 5, output_tokens: 5, cost_usd: 0.5 },
  });
});
