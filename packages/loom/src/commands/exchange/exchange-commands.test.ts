import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { z } from 'zod';
import { ForestFolder, jsonLines, wordsOf } from '../../testing/forest-folder.ts';

const line = (uuid: string, parentUuid: string | null, type: 'user' | 'assistant', text: string): string => {
  const message =
    type === 'user'
      ? { role: type, content: text }
      : {
          role: type,
          id: `msg_${uuid}`,
          model: 'claude-x',
          content: [{ type: 'text', text }],
          usage: { input_tokens: 3, output_tokens: 2 },
        };
  const about = { sessionId: 'session-1', cwd: '/project', version: '2.1.325', timestamp: '2026-02-03T04:05:06.000Z' };
  return `${JSON.stringify({ type, uuid, parentUuid, isSidechain: false, ...about, message })}\n`;
};

const session = `${line('u1', null, 'user', 'Hello there')}${line('a1', 'u1', 'assistant', 'Hello to you')}`;

/** A home with one session of Claude Code. */
function homeOf(context: TestContext): { home: string; file: string; env: { HOME: string } } {
  const home = temporaryDirectory(context);
  const file = join(home, '.claude', 'projects', '-project', 'session-1.jsonl');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, session);
  return { home, file, env: { HOME: home } };
}

const report = z.looseObject({
  files: z.int(),
  files_unchanged: z.int(),
  lines_read: z.int(),
  lines_used: z.int(),
  lines_raw: z.int(),
  lines_reported: z.int(),
  roots_added: z.int(),
  nodes_added: z.int(),
  blocks_added: z.int(),
  roots: z.array(z.string()),
  warnings: z.array(z.string()),
});

test('[FC41] discover finds sessions of agents, and says which are in Loom', async (context) => {
  const folder = new ForestFolder(context);
  const { env } = homeOf(context);
  assert.match(await folder.succeed(['discover'], { env }), /^Claude Code +1 session .* 0 imported/u);
  await folder.succeed(['import'], { env });
  const [found] = jsonLines(await folder.succeed(['discover', '--json'], { env }));
  assert.partialDeepStrictEqual(found, { source: 'claude-code', sessions: 1, imported: 1 });
  const { HOME: empty } = { HOME: temporaryDirectory(context) };
  assert.match(await folder.succeed(['discover'], { env: { HOME: empty } }), /^No sessions of agents were found/u);
});

test('[IM45] a session that holds nothing to import is not offered again, also by another process, until it changes', async (context) => {
  const folder = new ForestFolder(context);
  const { env, file } = homeOf(context);
  const empty = join(dirname(file), 'session-2.jsonl');
  writeFileSync(empty, '{"type":"summary","summary":"Only a title","leafUuid":"u9"}\n');
  const imported = async (): Promise<unknown> => {
    const [found] = jsonLines(await folder.succeed(['discover', '--json'], { env }));
    return z.object({ imported: z.int() }).parse(found).imported;
  };
  assert.equal(await imported(), 0);
  const first = report.parse(JSON.parse(await folder.succeed(['import', '--json'], { env })));
  assert.deepEqual(first['sources'], { 'claude-code': { files: 2, roots_added: 1, nodes_added: 2 } });
  assert.equal(await imported(), 2);
  appendFileSync(empty, line('u9', null, 'user', 'Now there is something').replaceAll('session-1', 'session-2'));
  assert.equal(await imported(), 1);
});

test('[FC42] import takes in what discover finds, again what is new, and accounts for every line', async (context) => {
  const folder = new ForestFolder(context);
  const { env, file } = homeOf(context);
  appendFileSync(file, '{"type":"user","uu');
  const first = await folder.run(['import'], { env });
  assert.match(first.out, /^Added 1 conversation, 2 messages, 2 blocks\.\n1 file read, 0 unchanged, 0 left alone/u);
  const nodes = await folder.nodes(['tree']);
  assert.deepEqual(wordsOf(nodes), ['user: Hello there', 'assistant: Hello to you']);
  assert.equal(nodes[0]?.metadata['timestamp'], '2026-02-03T04:05:06.000Z');
  const again = report.parse(JSON.parse(await folder.succeed(['import', '--json'], { env })));
  assert.deepEqual([again.files, again.files_unchanged, again.nodes_added], [0, 1, 0]);
  writeFileSync(file, `${session}${line('u2', 'a1', 'user', 'More')}`);
  const grown = report.parse(JSON.parse(await folder.succeed(['import', file, '--json'], { env })));
  assert.deepEqual([grown.roots_added, grown.nodes_added, grown.blocks_added], [0, 1, 1]);
  assert.equal(grown.lines_read, grown.lines_used + grown.lines_raw + grown.lines_reported);
  assert.equal(grown.lines_read, 3);
});

test('[FC42] a path that is not there, and an agent that is not known, are refused with words', async (context) => {
  const folder = new ForestFolder(context);
  const nothing = join(folder.dataDir, 'nothing');
  const missing = await folder.run(['import', temporaryDirectory(context), nothing]);
  assert.equal(missing.code, 1);
  assert.ok(missing.note.includes(`${nothing}: there is no such file or folder`), missing.note);
  const unknown = await folder.run(['import', '--source', 'claud']);
  assert.equal(unknown.code, 1);
  assert.match(unknown.note, /--source claud is none of claude-code, codex/u);
});

test('[FC42] an empty path, and a path that is to be followed, are refused', async (context) => {
  const folder = new ForestFolder(context);
  const empty = await folder.run(['import', '']);
  assert.equal(empty.code, 2);
  assert.match(empty.note, /a path is empty/u);
  const followed = await folder.run(['import', temporaryDirectory(context), '--follow']);
  assert.equal(followed.code, 2);
  assert.match(followed.note, /--follow is for what agents keep on this machine/u);
});

test('[FC42] the data folder in use is no history, also where it lies in a folder that is imported', async (context) => {
  const folder = new ForestFolder(context);
  const { file } = homeOf(context);
  await folder.succeed(['import', file]);
  await folder.succeed(['tree']);
  const again = await folder.run(['import', folder.dataDir, '--again', '--json']);
  assert.equal(report.parse(JSON.parse(again.out)).roots_added, 0);
  assert.match(again.out, /the data folder in use: it is left alone/u);
});

test('[FC42] only what one program writes is followed if that is named', async (context) => {
  const folder = new ForestFolder(context);
  const { env } = homeOf(context);
  const follow = (sources: Record<string, unknown>): Promise<string> =>
    folder.succeed(['call', 'import.follow', JSON.stringify({ on: true, ...sources })], { env });
  await follow({ sources: ['codex'] });
  assert.equal((await folder.nodes(['tree'])).length, 0);
  await follow({});
  assert.equal((await folder.nodes(['tree'])).length, 2);
});

test('[FC42] what is named and cannot be read fails, and says why', async (context) => {
  const folder = new ForestFolder(context);
  const place = temporaryDirectory(context);
  const damaged = join(place, 'export.zip');
  writeFileSync(damaged, 'PK\u0003\u0004 and nothing else');
  const refused = await folder.run(['import', damaged]);
  assert.deepEqual([refused.code, refused.out], [1, 'Nothing was taken in.\n']);
  assert.match(refused.note, /export\.zip: The file is not an archive/u);
  mkdirSync(join(place, 'empty'));
  assert.match(await folder.succeed(['import', join(place, 'empty')]), /^There is no history that Loom can read/u);
});

test('[FC45] an import that the store ends says what is wrong and what to do, once', async (context) => {
  const folder = new ForestFolder(context);
  const { env } = homeOf(context);
  await folder.say('echo one');
  rmSync(join(folder.dataDir, 'blobs'), { recursive: true, force: true });
  writeFileSync(join(folder.dataDir, 'blobs'), 'no folder');
  const { code, note } = await folder.run(['import'], { env });
  assert.equal(code, 1);
  assert.match(
    note,
    /^loom: the import ended: could not write the blob .*\nCheck the disk and the permissions of the data directory, then try again\. What was taken in until then is kept: import again, and it goes on from there\.\n$/u,
  );
});

test('[FC43] export writes every format, and never over a file that says something else', async (context) => {
  const folder = new ForestFolder(context);
  const { root, node } = await folder.say('echo one');
  assert.match(await folder.succeed(['export', node]), /echo one/u);
  for (const format of ['html', 'jsonl', 'ai-sdk', 'openai', 'anthropic']) {
    assert.match(await folder.succeed(['export', root, '--format', format]), /echo one/u, format);
  }
  const file = join(temporaryDirectory(context), 'branch.md');
  await folder.succeed(['export', node, '--out', file]);
  assert.match(readFileSync(file, 'utf8'), /echo one/u);
  await folder.succeed(['export', node, '--out', file]);
  writeFileSync(file, 'mine');
  const refused = await folder.run(['export', node, '--out', file]);
  assert.deepEqual([refused.code, readFileSync(file, 'utf8')], [1, 'mine']);
  for (const place of [temporaryDirectory(context), '/dev/null']) {
    const other = await folder.run(['export', node, '--out', place]);
    assert.equal(other.code, 1);
    assert.match(other.note, /is not a file\n/u);
  }
  writeFileSync(join(dirname(file), 'plain'), '');
  const nowhere = await folder.run(['export', node, '--out', join(dirname(file), 'plain', 'below', 'branch.md')]);
  assert.deepEqual([nowhere.code, nowhere.out], [1, '']);
  assert.match(nowhere.note, /a part of the path .* is a file, not a folder/u);
  if (process.platform === 'linux') {
    const never = await folder.run(['export', node, '--out', '/proc/loom/branch.md']);
    assert.match(never.note, /no folder can be made at \/proc\/loom\n.*Choose another place/su);
  }
  const unknown = await folder.run(['export', node, '--format', 'word']);
  assert.match(unknown.note, /--format word is not known/u);
});

test('[FC44] what another program adds to a session that Loom wrote comes back to the same branch', async (context) => {
  const folder = new ForestFolder(context);
  const home = temporaryDirectory(context);
  const env = { HOME: home };
  const { root, node } = await folder.say('echo one');
  const directory = join(home, 'project');
  const told = await folder.run(['export', node, '--format', 'claude-code', '--directory', directory], { env });
  const id = /claude --resume (\S+)/u.exec(told.note)?.[1] ?? '';
  const projects = join(home, '.claude', 'projects');
  const file = join(projects, readdirSync(projects)[0] ?? '', `${id}.jsonl`);
  const last = z
    .looseObject({ uuid: z.string() })
    .array()
    .parse(
      jsonLines(readFileSync(file, 'utf8')).filter(
        (each) => z.looseObject({ uuid: z.string() }).safeParse(each).success,
      ),
    )
    .at(-1);
  const unchanged = report.parse(JSON.parse(await folder.succeed(['import', file, '--json'], { env })));
  assert.deepEqual([unchanged.roots_added, unchanged.nodes_added, unchanged.blocks_added], [0, 0, 0]);
  appendFileSync(
    file,
    line('u9', last?.uuid ?? null, 'user', 'And then?') + line('a9', 'u9', 'assistant', 'Then this.'),
  );
  const grown = report.parse(JSON.parse(await folder.succeed(['import', file, '--json'], { env })));
  assert.deepEqual([grown.roots_added, grown.nodes_added], [0, 2]);
  assert.deepEqual(wordsOf(await folder.nodes(['show', root])), [
    'user: echo one',
    'assistant: one',
    'user: And then?',
    'assistant: Then this.',
  ]);
  assert.equal(jsonLines(await folder.succeed(['ls', '--json'])).length, 1);
  const over = await folder.run(['export', node, '--format', 'claude-code', '--directory', directory], { env });
  assert.equal(over.code, 1);
  assert.match(over.note, /The session has gone on since/u);
});

test('[IM19] what people add to a message of another program, and give back to it, does not come a second time', async (context) => {
  const folder = new ForestFolder(context);
  const { env, file, home } = homeOf(context);
  await folder.succeed(['import'], { env });
  const last = (await folder.nodes(['tree'])).at(-1);
  const content = ['Hello to you', 'And more of it'].map((text) => ({ type: 'text', text }));
  await folder.succeed(['call', 'node.edit', JSON.stringify({ node: last?.id, content, mode: 'in-place' })]);
  await folder.succeed(['export', last?.id ?? '', '--format', 'claude-code', '--directory', home], { env });
  const again = report.parse(JSON.parse(await folder.succeed(['import', '--again', '--json'], { env })));
  assert.deepEqual([again.files, again.roots_added, again.nodes_added, again.blocks_added], [2, 0, 0, 0]);
  appendFileSync(file, line('u2', 'a1', 'user', 'More'));
  const grown = report.parse(JSON.parse(await folder.succeed(['import', '--json'], { env })));
  assert.deepEqual([grown.roots_added, grown.nodes_added, grown.blocks_added], [0, 1, 1]);
});

test('[FC44] a conversation that was exported as lines and imported again is the same one, and elsewhere an equal one', async (context) => {
  const folder = new ForestFolder(context);
  const { root, node } = await folder.say('echo one');
  await folder.say('echo two', '--node', node);
  await folder.say('echo three', '--node', node);
  const file = join(temporaryDirectory(context), 'all.jsonl');
  await folder.succeed(['export', root, '--format', 'jsonl', '--out', file]);
  const same = report.parse(JSON.parse(await folder.succeed(['import', file, '--json'])));
  assert.deepEqual([same.roots_added, same.nodes_added], [0, 0]);
  const elsewhere = new ForestFolder(context);
  const taken = report.parse(JSON.parse(await elsewhere.succeed(['import', file, '--json'])));
  assert.deepEqual([taken.roots_added, taken.nodes_added], [1, 6]);
  assert.deepEqual(wordsOf(await elsewhere.nodes(['tree'])), wordsOf(await folder.nodes(['tree'])));
  const again = report.parse(JSON.parse(await elsewhere.succeed(['import', file, '--json'])));
  assert.deepEqual([again.roots_added, again.nodes_added], [0, 0]);
});

test('[FC42] a data folder of Loom is taken in as one history, without what was deleted there, and once', async (context) => {
  const older = new ForestFolder(context);
  const { root, node } = await older.say('echo one');
  const gone = await older.say('echo two', '--node', node);
  await older.succeed(['rm', gone.node]);
  await older.succeed(['ls']);
  const folder = new ForestFolder(context);
  const taken = report.parse(JSON.parse(await folder.succeed(['import', older.dataDir, '--json'])));
  assert.deepEqual([taken.files, taken.roots_added], [1, 1]);
  const words = wordsOf(await folder.nodes(['tree']));
  assert.deepEqual(words.slice(0, 2), ['user: echo one', 'assistant: one']);
  assert.ok(!words.includes('assistant: two'), root);
  const again = report.parse(JSON.parse(await folder.succeed(['import', older.dataDir, '--json'])));
  assert.deepEqual([again.roots_added, again.nodes_added], [0, 0]);
});

test('[PU12] what is purged of an imported conversation does not come back with its file', async (context) => {
  const folder = new ForestFolder(context);
  const { env, file } = homeOf(context);
  appendFileSync(file, line('u2', 'a1', 'user', 'my key is sk-secret-123456'));
  await folder.succeed(['import'], { env });
  const secret = (await folder.nodes(['tree'])).at(-1);
  await folder.succeed(['purge', secret?.id ?? '', '--yes']);
  appendFileSync(file, line('a2', 'u2', 'assistant', 'I have seen nothing'));
  const again = report.parse(JSON.parse(await folder.succeed(['import', file, '--json'], { env })));
  assert.deepEqual([again.nodes_added, again.blocks_added], [1, 1]);
  const words = wordsOf(await folder.nodes(['tree']));
  assert.deepEqual(words.at(-1), 'assistant: I have seen nothing');
  assert.ok(!words.join().includes('sk-secret'));
  assert.deepEqual([again.lines_raw, again.warnings], [0, []]);
  const blobs = readdirSync(join(folder.dataDir, 'blobs'));
  assert.deepEqual(blobs, []);
});

test('[PU12] what is purged of the second conversation of a document goes with the bytes of it that are kept with the first', async (context) => {
  const folder = new ForestFolder(context);
  const key = 'sk-secret-123456';
  const chat = (id: string, content: string): unknown => ({
    id,
    title: 'T',
    chat: {
      history: { messages: { [`m-${id}`]: { id: `m-${id}`, parentId: null, role: 'user', content, timestamp: 1 } } },
    },
  });
  const write = (name: string, ...chats: unknown[]): string => {
    const path = join(temporaryDirectory(context), name);
    writeFileSync(path, JSON.stringify(chats));
    return path;
  };
  const both = write('both.json', chat('first-1', 'hello'), chat('second-2', `my key is ${key}`));
  const other = write('other.json', chat('third-3', 'another document'));
  const { roots } = report.parse(JSON.parse(await folder.succeed(['import', both, other, '--json'])));
  const kept = (): string[] => {
    const blobs = join(folder.dataDir, 'blobs');
    return readdirSync(blobs).map((name) => zstdDecompressSync(readFileSync(join(blobs, name))).toString());
  };
  assert.deepEqual([kept().length, kept().join().includes(key)], [2, true]);
  const [secret] = await folder.nodes(['tree', roots[1] ?? '']);
  await folder.succeed(['purge', secret?.id ?? '', '--yes']);
  assert.equal(kept().join().includes(key), false);
  assert.match(kept().join(), /another document/u);
  const again = report.parse(JSON.parse(await folder.succeed(['import', both, '--again', '--json'])));
  assert.deepEqual([again.nodes_added, again.blocks_added, again.warnings], [0, 0, []]);
  assert.equal(kept().join().includes(key), false, 'nor does it come back with the document');
  assert.deepEqual(wordsOf(await folder.nodes(['tree', roots[0] ?? ''])), ['user: hello']);
});

test('[PU12] [PU14] what is purged of a conversation without kept lines stays away, and other changes of its messages come in', async (context) => {
  const folder = new ForestFolder(context);
  const file = join(temporaryDirectory(context), 'chats.json');
  const take = async (...texts: string[]): Promise<ReturnType<typeof report.parse>> => {
    const [first = '', ...others] = texts;
    const messages = Object.fromEntries(
      others.map((content, index) => [
        `m${index}`,
        { id: `m${index}`, parentId: index === 0 ? null : `m${index - 1}`, role: 'user', content, timestamp: index },
      ]),
    );
    const chats = [{ m: { id: 'm', parentId: null, role: 'user', content: first, timestamp: 1 } }, messages];
    const all = chats.map((each, index) => ({ id: `c${index}`, title: 'T', chat: { history: { messages: each } } }));
    writeFileSync(file, JSON.stringify(all));
    return report.parse(JSON.parse(await folder.succeed(['import', file, '--json'])));
  };
  const { roots } = await take('hello', 'my key is sk-secret-123456', '████████');
  const tree = ['tree', roots[1] ?? ''];
  await folder.succeed(['purge', (await folder.nodes(tree))[0]?.id ?? '', '--yes']);
  const again = await take('hello', 'my key is sk-secret-123456', 'done █████');
  assert.deepEqual([again.blocks_added, again.lines_raw, again.warnings.length], [1, 1, 1]);
  const [purged, ...others] = wordsOf(await folder.nodes(tree));
  assert.match(purged ?? '', /^user: █+$/u);
  assert.match(others.join(), /^user: ████████/u);
});
