import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { runInside } from '../../testing/fake-terminal.ts';
import { temporaryDirectory } from '@loom/kernel/testing';
import { ForestFolder, jsonLines, wordsOf } from '../../testing/forest-folder.ts';

/** A conversation of two exchanges: node-1 to node-4. */
async function twoExchanges(folder: ForestFolder): Promise<string> {
  const { root } = await folder.say('echo one');
  await folder.say('echo two', '--continue');
  return root;
}

test('[FC10] ls lists roots with their first words or title, the most recent first', async (context) => {
  const folder = new ForestFolder(context);
  const first = await twoExchanges(folder);
  const { root: second } = await folder.say('echo three');
  const lines = (await folder.succeed(['ls'])).split('\n');
  assert.equal(lines[0], `${second}  echo three  just now, 2 nodes`);
  assert.equal(lines[1], `${first}  echo one  just now, 4 nodes`);
  await folder.say('echo four', '--node', first);
  const about = z.looseObject({ id: z.string(), title: z.string(), nodes: z.int(), deleted: z.boolean() });
  const [recent] = jsonLines(await folder.succeed(['ls', '--json'])).map((line) => about.parse(line));
  assert.deepEqual([recent?.id, recent?.title, recent?.nodes, recent?.deleted], [first, 'echo one', 6, false]);
});

test('[LM35] ls is narrowed by project, state, model, source and text, and groups by project; projects lists them', async (context) => {
  const folder = new ForestFolder(context);
  const tides = temporaryDirectory(context);
  mkdirSync(join(tides, '.git'));
  writeFileSync(join(tides, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(tides, '.git', 'config'), '[remote "origin"]\n\turl = https://t0ken@example.com/jo/tides.git\n');
  const { root: first } = await folder.say('echo one', '--dir', tides);
  const { root: alone } = await folder.say('echo two');
  const [projects, none] = (await folder.succeed(['projects'])).split('\n');
  assert.equal(projects, `tides       1 conversation, just now  ${tides}`);
  assert.equal(none, 'no project  1 conversation, just now');
  const ids = async (...args: string[]): Promise<unknown[]> =>
    jsonLines(await folder.succeed(['ls', '--json', ...args])).map(
      (line) => z.looseObject({ id: z.string() }).parse(line).id,
    );
  assert.deepEqual([await ids('--project', 'Tides'), await ids('--project', 'none')], [[first], [alone]]);
  assert.deepEqual([await ids('--project', tides), await ids('--text', 'TWO')], [[first], [alone]]);
  assert.deepEqual([await ids('--state', 'failed', '--state', 'waiting'), await ids('--source', 'codex')], [[], []]);
  assert.deepEqual(await ids('--source', 'loom', '--project', 'example.com/jo/tides'), [first]);
  const grouped = (await folder.succeed(['ls', '--by-project'])).split('\n');
  assert.deepEqual(grouped.slice(0, 5), [
    `tides  1  ${tides}`,
    `  ${first}  echo one  just now, 2 nodes`,
    '',
    'no project  1',
    `  ${alone}  echo two  just now, 2 nodes`,
  ]);
  const { code, note } = await folder.run(['ls', '--project', 'nowhere']);
  assert.equal(code, 2);
  assert.match(note, /there is no project nowhere/u);
});

test('[FC11] show prints the path to a node as Markdown, and with --json its nodes in the interchange format', async (context) => {
  const folder = new ForestFolder(context);
  const root = await twoExchanges(folder);
  const text = await folder.succeed(['show', 'node-2']);
  assert.match(text, /^## you · node-1 · \d{4}-\d\d-\d\d \d\d:\d\d\n\necho one\n\n## demo · node-2 · .*\n\none\n$/);
  assert.equal((await folder.succeed(['show', root])).match(/^## /gm)?.length, 4);
  const lines = jsonLines(await folder.succeed(['show', `${root}/node-3`, '--json']));
  assert.deepEqual(
    lines.map((line) => Object.keys(z.looseObject({}).parse(line))),
    lines.map(() => ['id', 'root_id', 'parent_id', 'child_ids', 'message', 'metadata']),
  );
  const nodes = await folder.nodes(['show', 'node-3']);
  assert.deepEqual(wordsOf(nodes), ['user: echo one', 'assistant: one', 'user: echo two']);
  assert.deepEqual(
    [nodes[0]?.parent_id, nodes[1]?.parent_id, nodes[1]?.child_ids],
    [root, nodes[0]?.id, [nodes[2]?.id]],
  );
});

test('[FC12] tree draws chains straight down and sets only branches in; with --json parents come first', async (context) => {
  const folder = new ForestFolder(context);
  const root = await twoExchanges(folder);
  await folder.say('echo three', '--node', 'node-2');
  assert.equal(
    await folder.succeed(['tree']),
    `${root}  echo one
node-1  you  echo one
node-2  demo  one
├─ node-3  you  echo two
│  node-4  demo  two
└─ node-5  you  echo three
   node-6  demo  three
`,
  );
  assert.equal(
    await folder.succeed(['tree', 'node-5', root.slice(-8)]).then((out) => out.split('\n').length),
    3 + 1 + 7 + 1,
  );
  const seen = new Set<string>([root]);
  for (const { id, parent_id } of await folder.nodes(['tree'])) {
    assert.ok(seen.has(parent_id), id);
    seen.add(id);
  }
  assert.equal(seen.size, 7);
});

test('[FC12] [CH20] what others wrote cannot steer the screen from a tree or a title', async (context) => {
  const folder = new ForestFolder(context);
  await folder.say('echo \u001B[31mred');
  for (const command of [['tree'], ['ls'], ['show', 'node-2'], ['diff', 'node-1', 'node-2']]) {
    const { out } = await folder.run(command, { isScreen: true, env: { NO_COLOR: '1' } });
    assert.ok(!out.includes('\u001B'), command.join(' '));
    assert.match(out, /␛\[31mred/);
  }
});

test('[FC5] [FC13] an id that nothing has, or several things have, is refused', async (context) => {
  const folder = new ForestFolder(context);
  const { node: first } = await folder.say('echo one');
  const { node: second } = await folder.say('echo two');
  for (const command of ['show', 'tree', 'rm', 'restore', 'edit']) {
    const words = command === 'edit' ? [command, 'nonsense', 'x'] : [command, 'nonsense'];
    const { code, out, note } = await folder.run(words);
    assert.deepEqual([code, out], [1, ''], command);
    assert.match(note, /nonsense.*\n.*loom tree/, command);
  }
  const several = await folder.run(['rm', 'node-2', '--json']);
  assert.equal(several.code, 1);
  const failure = z.looseObject({ error: z.looseObject({ code: z.string(), ids: z.array(z.string()) }) });
  const { error } = failure.parse(JSON.parse(several.out));
  assert.deepEqual([error.code, error.ids.sort()], ['ambiguous-id', [first, second].sort()]);
  assert.equal((await folder.run(['show', first])).code, 0);
});

test('[FC28] of a name that several conversations have, commands that show take the one changed last, those that change refuse', async (context) => {
  const folder = new ForestFolder(context);
  await folder.say('echo one');
  await folder.say('echo two');
  const shown = await folder.run(['show', 'node-1']);
  assert.deepEqual([shown.code, /echo two/.test(shown.out)], [0, true]);
  assert.match(
    shown.note,
    /^node-1 exists in 2 conversations\. This is \w{4,}\/node-1, in the one that was changed last\.\n$/,
  );
  assert.match(await folder.succeed(['tree', 'node-1']), /echo two/);
  assert.match(await folder.succeed(['diff', 'node-1', 'node-2']), /^--- node-1\n\+\+\+ node-2\n/);
  for (const args of [
    ['rm', 'node-1'],
    ['edit', 'node-1', 'x'],
    ['bookmark', 'add', 'node-1'],
    ['chat', '-p', 'x', '--node', 'node-1'],
    ['patch', 'node-1', '--dry-run'],
  ]) {
    const { code, out, note } = await folder.run(args);
    assert.deepEqual([code, out], [1, ''], args.join(' '));
    assert.match(
      note,
      /node-1 is ambiguous: it exists in 2 conversations\nName one of them:\n( {2}\w{4,}\/node-1 {2}echo (one|two)\n){2}$/,
    );
    for (const [name] of note.matchAll(/\w+\/node-1/g)) await folder.succeed(['show', name]);
  }
});

test('[FC28] commands that are suggested work as they are printed', async (context) => {
  const folder = new ForestFolder(context);
  await folder.say('echo one');
  const { root } = await folder.say('echo two');
  const follow = async (text: string): Promise<string> => {
    const [, line = ''] = /: loom (.+)$/m.exec(text) ?? [];
    assert.notEqual(line, '', text);
    return folder.succeed(line.split(' '), { input: 'echo more\n' });
  };
  assert.match(await follow(await folder.succeed(['edit', `${root}/node-1`, 'echo other'])), /more/);
  assert.match(await follow(await folder.succeed(['edit', `${root}/node-2`, 'two and more'])), /two and more/);
  assert.match(await follow(await folder.succeed(['rm', `${root}/node-2`])), /Restored/);
  assert.match(await follow((await folder.run(['restore', `${root}/node-2`])).note), /two and more/);
});

test('[FC29] a command that changes something refuses a folder without conversations, and makes nothing', async (context) => {
  const folder = new ForestFolder(context);
  for (const args of [
    ['undo'],
    ['redo'],
    ['rm', 'node-1'],
    ['restore', 'node-1'],
    ['edit', 'node-1', 'x'],
    ['edit-lines', 'node-1', '--delete', '0'],
    ['patch', 'node-1'],
    ['purge', 'node-1', '--yes'],
    ['bookmark', 'add', 'node-1'],
    ['bookmark', 'remove', 'node-1'],
    ['migrate'],
    ['chat', '-c', '-p', 'x'],
    ['chat', '--node', 'node-1', '-p', 'x'],
  ]) {
    const { code, out, note } = await folder.run(args);
    assert.deepEqual([code, out], [1, ''], args.join(' '));
    assert.match(note, /there is no conversation in .*\nName the folder with your data with --data-dir/);
    assert.equal(existsSync(folder.dataDir), false, args.join(' '));
  }
  mkdirSync(folder.dataDir);
  assert.equal((await folder.run(['undo'])).code, 1);
  assert.deepEqual(readdirSync(folder.dataDir), [], 'nor in a folder that is something else');
});

test('[FC30] [FC33] rm of what is deleted and restore of what is not say so, with the data folder', async (context) => {
  const folder = new ForestFolder(context);
  const root = await twoExchanges(folder);
  const refuse = async (args: string[], message: RegExp): Promise<void> => {
    const { code, out, note } = await folder.run(args);
    assert.deepEqual([code, out], [1, ''], args.join(' '));
    assert.match(note, message);
  };
  await refuse(['restore', 'node-3'], /node-3 is not deleted\nNothing was changed/);
  await refuse(['restore', root], /the conversation root-\w+ is not deleted\n/);
  await folder.succeed(['rm', 'node-3']);
  await refuse(
    ['rm', 'node-3'],
    /node-3 is deleted already\nTo bring it back: loom restore root-\w+\/node-3 --data-dir \/.*\n/,
  );
  await refuse(
    ['rm', 'node-4'],
    /node-4 is deleted already\nTo bring it back: loom restore root-\w+\/node-3 --data-dir \/.*\n/,
  );
  await refuse(
    ['restore', 'node-4'],
    /node-4 is hidden by node-3, which is deleted\nTo bring both back: .*\/node-3 --data-dir .*\n/,
  );
  await folder.succeed(['rm', root]);
  await refuse(['rm', root], /the conversation root-\w+ is deleted already\n/);
});

test('[FC14] edit branches where something follows, and changes a leaf in place', async (context) => {
  const folder = new ForestFolder(context);
  await twoExchanges(folder);
  const before = wordsOf(await folder.nodes(['show', 'node-4']));
  assert.match(await folder.succeed(['edit', 'node-1', 'echo', 'other']), /^Made node-5 beside the old message/);
  assert.deepEqual(wordsOf(await folder.nodes(['show', 'node-4'])), before);
  assert.match(await folder.succeed(['show', 'node-5']), /^## you · node-5 · .*\n\necho other\n$/);
  assert.match(
    await folder.succeed(['edit', 'node-4', '-'], { input: 'two and a half\n' }),
    /^Changed node-4 in place/,
  );
  assert.match(await folder.succeed(['edit', 'node-4', 'two and a half']), /^node-4 says that already/);
  assert.deepEqual(wordsOf(await folder.nodes(['show', 'node-4'])).at(-1), 'assistant: two and a half');
  assert.equal((await folder.run(['edit', 'node-4'])).code, 2);
  assert.equal((await folder.run(['edit', 'node-4', ' '])).code, 1);
});

test('[FC14] with --split both texts share their beginning; show, tree and edit take the halves for one message', async (context) => {
  const folder = new ForestFolder(context);
  await twoExchanges(folder);
  await folder.succeed(['edit', 'node-1', 'echo other', '--split']);
  assert.deepEqual(wordsOf(await folder.nodes(['show', 'node-2'])), ['user: echo o', 'user: ne', 'assistant: one']);
  assert.match(await folder.succeed(['show', 'node-6']), /^## you · node-5, node-6 · .*\n\necho other\n$/);
  assert.match(
    await folder.succeed(['tree']),
    /^root-\w+ {2}echo o\nnode-5 {2}you {2}echo o\n/,
    'it goes on in two ways',
  );
  await folder.succeed(['rm', 'node-6']);
  assert.match(await folder.succeed(['tree']), /^root-\w+ {2}echo one\nnode-1 {2}you {2}echo one\nnode-2 {2}demo/);
  assert.match(await folder.succeed(['show', 'node-5']), /^## you · node-5, node-1 · .*\n\necho one\n$/);
  for (const half of ['node-1', 'node-5']) {
    assert.match(await folder.succeed(['edit', half, 'echo one']), /says that already/);
    assert.match(await folder.succeed(['edit', half, `echo ${half}`]), /^Made node-\d+ beside the old message/);
  }
  assert.equal((await folder.run(['edit', 'node-1', 'x', '--split', '--in-place'])).code, 2);
});

test('[FC32] edit --run has the edited message answered at once, and prints the answer', async (context) => {
  const folder = new ForestFolder(context);
  await twoExchanges(folder);
  assert.equal(await folder.succeed(['edit', 'node-1', 'echo other', '--run']), 'other\n');
  assert.deepEqual(wordsOf(await folder.nodes(['show', 'node-6'])), ['user: echo other', 'assistant: other']);
  const [report] = jsonLines(await folder.succeed(['edit', 'node-3', 'echo again', '--run', '--json']));
  assert.match(JSON.stringify(report), /"how":"sibling".*"answer":"root-\w+\/node-8"/);
  const refused = await folder.run(['edit', 'node-2', 'x', '--run']);
  assert.deepEqual([refused.code, refused.out], [1, '']);
  assert.match(refused.note, /node-2 is not a message of yours, so nothing answers it\nEdit it without --run/);
  assert.deepEqual(wordsOf(await folder.nodes(['show', 'node-2'])).at(-1), 'assistant: one', 'nothing was changed');
});

test('[FC33] commands that are suggested name the data folder that was given', async (context) => {
  const folder = new ForestFolder(context);
  await twoExchanges(folder);
  const { out } = await runInside(['edit', 'node-1', 'echo x', '--data-dir', folder.dataDir]);
  assert.ok(out.includes(`loom chat --node node-5 --data-dir ${folder.dataDir}\n`), out);
});

test('[FC33] so do failures, notes about files and what is said of models', async (context) => {
  const folder = new ForestFolder(context);
  const root = await twoExchanges(folder);
  const given = `--data-dir ${folder.dataDir}`;
  const inside = (...words: string[]): ReturnType<typeof runInside> =>
    runInside([...words, '--data-dir', folder.dataDir]);
  const texts = [
    (await inside('show', 'node-99')).note,
    (await inside('chat', '-p', 'x', '-m', 'nothing-like-this')).note,
    (await inside('config', 'get', 'defaults.model')).note,
    (await inside('call', 'no.such.operation', '{}')).note,
  ];
  const file = join(folder.dataDir, root, 'nodes/node-1.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('echo one', 'echo changed'));
  texts.push((await inside('show', 'node-1')).note);
  for (const text of texts) assert.match(text, new RegExp(`loom [^\\n]*${RegExp.escape(given)}`, 'u'));
});

test('[FC15] an edit under what follows says what it costs first, and asks where a person can be asked', async (context) => {
  const folder = new ForestFolder(context);
  await folder.say('echo one', '-m', 'demo:thinking');
  await folder.say('echo two', '--continue', '-m', 'demo:thinking');
  const costs =
    /costs the branch that ends with node-4: about \d+ tokens are paid again, 2 thoughts are no longer shown/;
  const refused = await folder.run(['edit', 'node-1', 'echo other', '--in-place'], { keyboard: '', answers: ['n'] });
  assert.deepEqual([refused.code, refused.out], [1, '']);
  assert.match(refused.note, costs);
  assert.deepEqual(wordsOf(await folder.nodes(['show', 'node-1'])), ['user: echo one']);
  const done = await folder.run(['edit', 'node-1', 'echo other', '--in-place', '--yes'], { keyboard: '' });
  assert.equal(done.code, 0);
  assert.match(done.note, costs);
  const path = wordsOf(await folder.nodes(['show', 'node-4']));
  assert.deepEqual([path.length, path[0]], [4, 'user: echo other']);
  assert.equal((await folder.run(['edit', 'node-3', 'echo three'])).note, '', 'a branch beside it costs nothing');
  await folder.say('echo four', '--node', 'node-2', '-m', 'demo:thinking');
  const several = await folder.run(['edit', 'node-1', 'echo another', '--in-place']);
  assert.match(several.note, /costs the branch that ends with node-\d+: [^.]*\. It costs 2 more branches as well\.\n$/);
});

test('[FC16] rm deletes and restore brings back: a node with what is below, a node alone, a root', async (context) => {
  const folder = new ForestFolder(context);
  const root = await twoExchanges(folder);
  const before = wordsOf(await folder.nodes(['tree']));
  assert.match(
    await folder.succeed(['rm', 'node-3']),
    /^Deleted node-3 and what is below it\. To bring it back: loom restore /,
  );
  assert.equal((await folder.nodes(['tree'])).length, 2);
  await folder.succeed(['restore', 'node-3']);
  assert.deepEqual(wordsOf(await folder.nodes(['tree'])), before);
  await folder.succeed(['rm', 'node-3', '--keep-children']);
  assert.deepEqual(wordsOf(await folder.nodes(['tree'])), ['user: echo one', 'assistant: one', 'assistant: two']);
  await folder.succeed(['rm', root]);
  assert.equal(await folder.succeed(['ls']), '');
  assert.match(await folder.succeed(['ls', '--deleted']), /echo one/);
  await folder.succeed(['restore', root]);
  assert.match(await folder.succeed(['ls']), /echo one/);
  await folder.succeed(['call', 'root.mark', JSON.stringify({ root, archived: true })]);
  assert.equal(await folder.succeed(['ls']), '');
  assert.match(await folder.succeed(['ls', '--archived']), /echo one/);
});

test('[FC16] [FC17] a bookmark protects what it marks until it is removed', async (context) => {
  const folder = new ForestFolder(context);
  const root = await twoExchanges(folder);
  await folder.succeed(['bookmark', 'add', 'node-4', 'the', 'good', 'one']);
  assert.equal(await folder.succeed(['bookmark']), `★ the good one  echo one  ${root}/node-4\n`);
  assert.deepEqual(jsonLines(await folder.succeed(['bookmark', 'list', '--json'])), [
    { root, node: `${root}/node-4`, title: 'the good one' },
  ]);
  assert.match(await folder.succeed(['tree']), /node-4 {2}demo {2}two {2}★ the good one/);
  const refused = await folder.run(['rm', 'node-1']);
  assert.equal(refused.code, 1);
  assert.match(refused.note, /bookmark/);
  await folder.succeed(['bookmark', 'remove', 'node-4']);
  assert.equal((await folder.run(['bookmark', 'remove', 'node-4'])).code, 1);
  await folder.succeed(['rm', 'node-1']);
});

test('[FC18] diff compares two branches from where they part', async (context) => {
  const folder = new ForestFolder(context);
  await twoExchanges(folder);
  await folder.say('echo two\nand more', '--node', 'node-2');
  const out = await folder.succeed(['diff', 'node-4', 'node-6']);
  assert.match(out, /^--- node-4\n\+\+\+ node-6\nThey differ after node-2:\n/);
  assert.match(out, /node-3 text → node-5 text\n {2}… 1 line in common\n\+ and more\n/);
  assert.match(await folder.succeed(['diff', 'node-4', 'node-4']), /They are the same/);
  await folder.say('echo elsewhere');
  const [, other] = (await folder.succeed(['ls'])).split('\n').map((line) => line.split(' ')[0] ?? '');
  const [recent = ''] = (await folder.succeed(['ls'])).split(' ');
  assert.equal((await folder.run(['diff', `${recent}/node-1`, `${other}/node-1`])).code, 1);
});

test('[FC19] demo grows a forest with everything in it, once', async (context) => {
  const folder = new ForestFolder(context);
  assert.match(await folder.succeed(['demo']), /^Grew 3 conversations with \d+ messages/);
  const nodes = await folder.nodes(['tree']);
  const types = new Set(nodes.flatMap(({ message }) => message.content.map(({ type }) => type)));
  for (const type of ['text', 'thinking', 'tool-use', 'file-change', 'command', 'todo', 'sources', 'error']) {
    assert.ok(types.has(type), type);
  }
  const codes = new Set(nodes.flatMap(({ message }) => message.content.map(({ error }) => error?.code)));
  assert.ok(codes.has('denied'));
  const siblings = [...Map.groupBy(nodes, ({ parent_id }) => parent_id).values()];
  assert.ok(siblings.filter(({ length }) => length > 1).length >= 3, 'branches');
  assert.equal((await folder.succeed(['bookmark'])).split('\n').length, 3);
  assert.deepEqual(
    nodes.filter(({ message }) => message.content.some(({ status }) => status === 'running')),
    [],
  );
  const again = await folder.run(['demo']);
  assert.equal(again.code, 1);
  assert.match(again.note, /--data-dir/);
  assert.match(await folder.succeed(['chat', '--continue', '-p', 'echo fine']), /^fine\n$/);
});

test('[FC33] what demo suggests to look at names the data folder if the command line did', async (context) => {
  const folder = new ForestFolder(context);
  const said = await folder.succeed(['demo']);
  assert.ok(said.includes(`  loom tree --data-dir ${folder.dataDir}\n`), said);
  // Its ids exist in each conversation, so the message says how to name one.
  const [, name = ''] = /loom show (\S+) --data-dir/u.exec(said) ?? [];
  assert.match(name, /^\w{4,}\/node-2$/u);
  const shown = await folder.run(['show', name]);
  assert.deepEqual([shown.code, shown.note], [0, '']);
});
