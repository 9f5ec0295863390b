import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { withWriter } from '../../runtime/opened-folder.ts';
import { ForestFolder, jsonLines } from '../../testing/forest-folder.ts';

test('[TX1] a text is named by its node, its block, or the end of either', async (context) => {
  const folder = new ForestFolder(context);
  const { root } = await folder.say('echo one');
  for (const name of [
    'node-2',
    '2',
    `${root}/node-2`,
    '@demo:demo/1',
    `${root}/@demo:demo/1`,
    `${root.slice(-6)}/@demo:demo/1`,
  ]) {
    assert.equal(await folder.succeed(['read', name, '--plain']), 'one', name);
  }
  const { node } = await folder.say('search for looms');
  const path = await folder.nodes(['show', node]);
  const call = path.find(({ message }) => message.content.length === 1 && message.content[0]?.type === 'tool-use');
  assert.match(await folder.succeed(['read', call?.id ?? '', '--plain']), /^search_pages\(/);
});

test('[TX2] a name that fits several texts is refused with the candidates', async (context) => {
  const folder = new ForestFolder(context);
  const { root } = await folder.say('echo one', '-m', 'demo:thinking');
  const { code, out, note } = await folder.run(['read', 'node-2']);
  assert.deepEqual([code, out], [1, '']);
  const id = `${root}/@demo:thinking/`;
  assert.match(note, new RegExp(`^loom: node-2 has \\d texts\nName one of them:\n  ${id}1  thinking  \\S.*\n`));
  assert.match(note, new RegExp(`\n  ${id}\\d  text  one\n$`));
  const { root: other } = await folder.say('echo two');
  const several = await folder.run(['undo', '@person/1', '--json']);
  const failure = z.looseObject({ error: z.looseObject({ code: z.string(), ids: z.array(z.string()) }) });
  assert.deepEqual(failure.parse(JSON.parse(several.out)).error.ids, [`${root}/@person/1`, `${other}/@person/1`]);
});

test('[TX25] commands that only show take a name that several conversations have for the one that was changed last', async (context) => {
  const folder = new ForestFolder(context);
  const { root } = await folder.say('echo one');
  const { root: other } = await folder.say('echo two');
  const read = async (name: string): Promise<string> => {
    const { code, out, note } = await folder.run(['read', name]);
    assert.equal(code, 0, note);
    const [, chosen = ''] =
      /exists in 2 conversations\. This is (\S+), in the one that was changed last\.\n/.exec(note) ?? [];
    assert.equal((await folder.run(['read', chosen])).out, out, 'the name that is told can be given');
    return out;
  };
  for (const name of ['node-1', '@person/1']) assert.equal(await read(name), '0\techo two\n');
  assert.match(await folder.succeed(['history', '@person/1', '--json']), /^\{"version":1,/);
  await folder.succeed(['edit-lines', `${root}/node-1`, '--replace', '0', '--with', 'first']);
  for (const name of ['node-1', '@person/1']) assert.equal(await read(name), '0\tfirst\n');
  await folder.succeed(['rm', root]);
  assert.equal(
    (await folder.run(['read', 'node-1'])).note.split(' ')[0],
    `${other}/@person/1`,
    'the other is not in the way',
  );
});

test('[TX2] what is not there, no text or deleted is refused with what to do', async (context) => {
  const folder = new ForestFolder(context);
  const { root } = await folder.say('echo one');
  await folder.say('echo two', '--continue');
  await folder.succeed(['rm', 'node-3']);
  const refusals: [string, RegExp][] = [
    ['node-9', /there is no node node-9\n/],
    ['@person/9', /there is no block @person\/9\n/],
    ['@nobody', /there is no block @nobody\nA block is named like @person\/3/],
    [root, /a whole conversation is not a text\nName a node of it: loom tree root-/],
    ['node-4', new RegExp(`node-4 is deleted\nTo bring it back: loom restore ${root}/node-3 --data-dir .*\n`)],
    ['@person/2', /node-3 is deleted\n/],
  ];
  for (const [name, message] of refusals) {
    const { code, note } = await folder.run(['edit-lines', name, '--insert', '0', '--with', 'x']);
    assert.equal(code, 1, name);
    assert.match(note, message);
  }
  await folder.succeed(['rm', root]);
  assert.match((await folder.run(['read', `${root}/@person/1`])).note, /the conversation root-\w+ is deleted\n/);
  assert.match((await folder.run(['read', '@person/1'])).note, /there is no block/);
});

test('[TX3] [TX4] read numbers lines from 0; --plain prints the text to the byte, --at an earlier version', async (context) => {
  const folder = new ForestFolder(context);
  const { root } = await folder.say('echo x');
  const id = `${root}/@person/1`;
  await folder.succeed(['edit-lines', id, '--replace', '0', '--with', '-'], { input: 'a\r\nb ü\r\n' });
  await folder.succeed(['edit-lines', id, '--insert', 'end', '--with', 'c']);
  const whole = await folder.run(['read', 'node-1']);
  assert.deepEqual([whole.code, whole.out], [0, '0\ta\r\n1\tb ü\r\n2\tc\n']);
  assert.equal(whole.note, `${id}  text, version 3, done, 3 lines\n`);
  assert.deepEqual(await folder.run(['read', 'node-1', '--plain']), { code: 0, out: 'a\r\nb ü\r\nc', note: '' });
  assert.equal(await folder.succeed(['read', 'node-1', '--plain', '--lines', '1:2']), 'b ü\r\n');
  assert.equal(await folder.succeed(['read', 'node-1', '--lines', '1-9']), '1\tb ü\r\n2\tc\n');
  assert.equal(await folder.succeed(['read', 'node-1', '--plain', '--at', '1']), 'echo x');
  const json: unknown = JSON.parse(await folder.succeed(['read', 'node-1', '--lines', '2', '--json']));
  const facts = { metadata: {}, role: 'user', kind: 'text', status: 'done', version: 3, line_count: 3 };
  assert.deepEqual(json, { ok: true, root, block_id: id, content: 'c', ...facts });
  assert.match((await folder.run(['read', 'node-1', '--lines', '4'])).note, /node-1 has no line 4\nIt has 3 lines/);
});

test('[TX16] history shows one row for what was streamed, and every version as JSON', async (context) => {
  const folder = new ForestFolder(context);
  await folder.say('echo a\nb\nc');
  await folder.succeed(['edit-lines', 'node-2', '--delete', '1']);
  const rows = (await folder.succeed(['history', 'node-2'])).split('\n');
  assert.match(rows[0] ?? '', /^1 +just now  demo:demo  added +±0 +running$/);
  assert.match(rows[1] ?? '', /^2–\d+  just now  demo:demo  streamed  \+5 +running$/);
  assert.match(rows[2] ?? '', /^\d+ +just now  demo:demo  status +±0 +done$/);
  assert.match(rows[3] ?? '', /^\d+ +just now  person     text +−2 +done$/);
  const entry = z.looseObject({ version: z.int(), inserted: z.int(), agent: z.string() });
  const entries = jsonLines(await folder.succeed(['history', 'node-2', '--json'])).map((line) => entry.parse(line));
  assert.deepEqual(
    entries.map(({ version }) => version),
    entries.map((_, index) => index + 1),
  );
  assert.ok(entries.length > 4);
  const limited = await folder.run(['history', 'node-2', '--limit', '1']);
  assert.match(limited.out, /^\d+  just now  person  text  −2  done\n$/);
  assert.match(limited.note, /older versions/);
});

test('[TX17] history --diff compares two versions, or one with the newest', async (context) => {
  const folder = new ForestFolder(context);
  await folder.say('echo one');
  await folder.succeed(['edit-lines', 'node-1', '--replace', '0', '--with', 'two']);
  await folder.succeed(['edit-lines', 'node-1', '--replace', '0', '--with', 'three']);
  const end = '\n\\ No newline at end of file\n';
  assert.equal(
    await folder.succeed(['history', 'node-1', '--diff', '1:2']),
    `--- v1\n+++ v2\n@@ -1,1 +1,1 @@\n-echo one${end}+two${end}`,
  );
  assert.match(await folder.succeed(['history', 'node-1', '--diff', '2']), /\n-two\n.*\n\+three\n/);
  const screen = await folder.run(['history', 'node-1', '--diff', '2'], { isScreen: true });
  assert.ok(screen.out.includes('\u001B[32m+three'));
  assert.deepEqual(await folder.run(['history', 'node-1', '--diff', '2:2']), {
    code: 0,
    out: '',
    note: 'They say the same.\n',
  });
  assert.match((await folder.run(['history', 'node-1', '--diff', '7'])).note, /has no version 7/);
});

test('[TX18] search finds patterns and texts in every kind of block, and names them as other commands take it', async (context) => {
  const folder = new ForestFolder(context);
  const { root } = await folder.say('echo Alpha (beta)');
  const { root: other } = await folder.say('echo alpha', '-m', 'demo:thinking');
  const names = async (...args: string[]): Promise<string[]> => {
    const { out } = await folder.run(['search', ...args]);
    return [...out.matchAll(/^(root-\S+) {2}/gm)].map(([, name = '']) => name);
  };
  assert.deepEqual(await names('-s', 'A[lx]pha'), [`${root}/node-1`, `${root}/node-2`]);
  const both = [
    `${other}/node-1`,
    `${other}/@demo:thinking/1`,
    `${other}/@demo:thinking/2`,
    `${root}/node-1`,
    `${root}/node-2`,
  ];
  for (const query of ['ALPHA', 'alPha']) assert.deepEqual((await names(query)).sort(), both.sort());
  assert.deepEqual(await names('-F', '(beta)'), [`${root}/node-1`, `${root}/node-2`]);
  assert.deepEqual(await names('-F', 'A.pha'), []);
  assert.deepEqual(await names('-iF', 'ALPHA (b'), [`${root}/node-1`, `${root}/node-2`]);
  const thinking = await names('ALPHA', '--kind', 'Reasoning,code');
  assert.deepEqual(thinking, [`${other}/@demo:thinking/1`]);
  for (const name of thinking) assert.match(await folder.succeed(['read', name]), /alpha/);
  assert.deepEqual(await names('alpha', '--root', root.slice(-8), '--kind', 'text'), [
    `${root}/node-1`,
    `${root}/node-2`,
  ]);
  assert.deepEqual(await names('alpha', '--path', 'src/'), []);
  await folder.succeed(['rm', `${root}/node-2`]);
  assert.deepEqual(await names('-s', 'Alpha'), [`${root}/node-1`]);
  assert.equal((await folder.run(['search', 'x', '--root', `${root}/node-1`])).code, 1);
  const bad = await folder.run(['search', 'foo(']);
  assert.equal(bad.code, 1);
  assert.match(bad.note, /missing closing \).*\nTo search for the text as it is: -F/);
});

test('[TX19] matches are printed as grep does, set off on a screen, and what is left out is said', async (context) => {
  const folder = new ForestFolder(context);
  const { root } = await folder.say('hello');
  const lines = ['x', 'one x two x', 'b', 'c', 'd', 'x'].join('\n');
  await folder.succeed(['edit-lines', 'node-1', '--replace', '0', '--with', lines]);
  const search = ['search', 'x', '--kind', 'text', '--max-blocks', '1'];
  const plain = await folder.run(search);
  assert.equal(plain.out, `${root}/node-1  you, text\n0: x\n1: one x two x\n5: x\n`);
  assert.equal(
    await folder.succeed([...search, '--context', '1']),
    `${root}/node-1  you, text\n0: x\n1: one x two x\n2- b\n--\n4- d\n5: x\n`,
  );
  const few = await folder.run([...search, '--max', '2']);
  assert.equal(few.out, `${root}/node-1  you, text\n0: x\n1: one x two x\n… and more: --max shows them\n`);
  const [mark, end] = ['\u001B[33m', '\u001B[39m'];
  const screen = await folder.run(search, { isScreen: true });
  assert.ok(screen.out.includes(`one ${mark}x${end} two ${mark}x${end}\n`));
  assert.match(screen.out, /^\S*x {2}no project · \d{4}-\d\d-\d\d · 1 text/u, 'under the name of its conversation');
  await folder.succeed(['edit-lines', 'node-2', '--insert', '0', '--with', 'x']);
  const { note } = await folder.run(search);
  assert.match(
    note,
    /^These are the first 1 texts; 0 of 1 conversations were searched\..*To search on from here:\n {2}--from '/,
  );
  const [, place = ''] = /--from '(.*)'/.exec(note) ?? [];
  assert.match((await folder.run([...search, '--from', place])).out, new RegExp(`^${root}/node-2`));
  const found = z.looseObject({
    block_id: z.string(),
    root: z.string(),
    node: z.string(),
    kind: z.string(),
    matches: z.array(z.unknown()),
  });
  const blocks = jsonLines(await folder.succeed(['search', '^x$', '--json'])).map((line) => found.parse(line));
  assert.deepEqual(
    blocks.map(({ node, kind, matches }) => [node, kind, matches.length]),
    [
      [`${root}/node-1`, 'text', 2],
      [`${root}/node-2`, 'text', 1],
    ],
  );
});

test('[TX26] with --json a search says in a last line that there is more than it shows', async (context) => {
  const folder = new ForestFolder(context);
  await folder.say('hello');
  await folder.succeed(['edit-lines', 'node-1', '--replace', '0', '--with', 'x\nx\nx']);
  await folder.succeed(['edit-lines', 'node-2', '--insert', '0', '--with', 'x']);
  const search = async (...more: string[]) => jsonLines(await folder.succeed(['search', '^x$', '--json', ...more]));
  const [whole, fewBlocks, fewMatches] = [
    await search(),
    await search('--max-blocks', '1'),
    await search('--max', '2'),
  ];
  assert.deepEqual([whole.length, fewBlocks.length, fewMatches.length], [2, 2, 3]);
  const rest = z.looseObject({ truncated: z.literal(true), complete: z.boolean(), next: z.string().optional() });
  const [blocks, matches] = [rest.parse(fewBlocks.at(-1)), rest.parse(fewMatches.at(-1))];
  assert.deepEqual([blocks.complete, typeof blocks.next], [false, 'string']);
  assert.deepEqual([matches.complete, matches.next], [true, undefined]);
});

test('[TX20] a search that finds nothing ends with 1', async (context) => {
  const folder = new ForestFolder(context);
  assert.equal((await folder.run(['search', 'x'])).code, 1);
  await folder.say('echo one');
  const { code, out, note } = await folder.run(['search', 'o.x']);
  assert.deepEqual([code, out], [1, '']);
  assert.match(note, /^loom: there is no match for o\.x\nTo search for the text as it is: -F\.\n$/);
  assert.match((await folder.run(['search', 'ONE', '-s'])).note, /Without -s the search ignores case\./);
  const json = await folder.run(['search', 'o.x', '--json']);
  assert.deepEqual([json.code, json.note], [1, '']);
  assert.match(json.out, /^\{"ok":false,"error":\{"code":"no-match"/);
});

test('[TX11] [TX21] looking works while another process writes, changing is refused', async (context) => {
  const folder = new ForestFolder(context);
  await folder.say('echo one');
  await withWriter({ dataDir: folder.dataDir }, async () => {
    for (const args of [
      ['read', 'node-2'],
      ['history', 'node-2'],
      ['search', 'one'],
    ]) {
      assert.notEqual(await folder.succeed(args), '');
    }
    const patch = '@@ -1 +1 @@\n-one\n\\ No newline at end of file\n+two\n\\ No newline at end of file\n';
    const trial = await folder.run(['patch', 'node-2', '--dry-run'], { input: patch });
    assert.equal(trial.out, 'The patch would apply to node-2; nothing was changed.\n');
    assert.match(trial.note, /^Hunk 1: where it says/);
    const refused = await folder.run(['patch', 'node-2', '--dry-run'], { input: patch.replace('one', 'three') });
    assert.equal(refused.code, 1);
    const { code, note } = await folder.run(['edit-lines', 'node-2', '--delete', '0']);
    assert.equal(code, 1);
    assert.match(
      note,
      /another loom \(process \d+\) is writing to .*\n.*Commands that only read \(.*read, search.*\) work meanwhile/,
    );
  });
  assert.equal(await folder.succeed(['read', 'node-2', '--plain']), 'one');
});

test('[TX22] what others wrote cannot steer the screen', async (context) => {
  const folder = new ForestFolder(context);
  const { root } = await folder.say('echo \u001B[31mred');
  const surroundings = { isScreen: true, env: { NO_COLOR: '1' } };
  const id = `${root}/node-2`;
  for (const args of [
    ['read', id],
    ['read', id, '--plain'],
    ['search', 'red'],
    ['edit-lines', id, '--insert', '0', '--with', 'x'],
    ['edit-lines', id, '--delete', '1', '--expect', 'y'],
    ['history', id, '--diff', '1'],
    ['undo', '@demo:demo/1'],
  ]) {
    if (args.includes('@demo:demo/1')) await folder.say('echo other');
    const { out, note } = await folder.run(args, surroundings);
    assert.ok(!`${out}${note}`.includes('\u001B'), args.join(' '));
    assert.match(`${out}${note}`, /␛\[31mred/, args.join(' '));
  }
});

test('[TX23] a search that could not look at everything does not claim that there is nothing', async (context) => {
  const folder = new ForestFolder(context);
  const { root } = await folder.say('echo one');
  await withWriter({ dataDir: folder.dataDir }, async ({ call }) => {
    await call('node.append', { parent: root, messages: [{ role: 'user', content: 'a'.repeat(900_000) }] });
  });
  const { code, note } = await folder.run(['search', '(a|aa)+[bc]']);
  assert.equal(code, 1);
  assert.match(note, /not everything was searched/);
  assert.doesNotMatch(note, /there is no match/);
});

test('[TX32] a search is narrowed by who wrote something, by when, and to what went wrong', async (context) => {
  const folder = new ForestFolder(context);
  await folder.say('echo alpha');
  const found = async (...args: string[]): Promise<number> => {
    const { out } = await folder.run(['search', 'alpha', '--json', ...args]);
    return jsonLines(out).filter((line) => z.object({ block_id: z.string() }).safeParse(line).success).length;
  };
  assert.equal(await found(), 2);
  assert.equal(await found('--agent', 'person'), 1);
  assert.equal(await found('--agent', 'demo'), 1);
  assert.equal(await found('--agent', 'demo:demo,person'), 2);
  assert.equal(await found('--errors'), 0);
  assert.equal(await found('--after', '2000-01-01', '--before', '9999-12-31T09:00'), 2);
  assert.equal(await found('--before', '2000-01-01T00:00Z'), 0);
  for (const time of ['tomorrow', '2026-13-01', '2026-01-31 09:00']) {
    const refused = await folder.run(['search', 'alpha', '--after', time]);
    assert.equal(refused.code, 2);
    assert.match(refused.note, /--after takes a date or a time/);
  }
});
