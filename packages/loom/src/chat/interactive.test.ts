import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatWith, leave } from '../testing/chatting-person.ts';
import { ForestFolder, wordsOf } from '../testing/forest-folder.ts';

test('[CH10] a line that is typed while an answer is running steers it', async (context) => {
  const { code, folder } = await chatWith(context, [
    { after: /> $/, type: 'wait 1 seconds' },
    { after: /slow_tool/, type: 'thank you' },
    leave,
  ]);
  assert.equal(code, 0);
  const words = wordsOf(await folder.nodes(['tree']));
  assert.deepEqual(words.slice(0, 4), [
    'user: wait 1 seconds',
    'assistant: One moment.',
    'tool: Waited 1 s',
    'user: thank you',
  ]);
  assert.equal(words.length, 5);
});

test('[CH11] a queued message is said when the answer is over, and answered', async (context) => {
  const { folder } = await chatWith(context, [
    { after: /> $/, type: 'wait 1 seconds' },
    { after: /slow_tool/, type: '/queue echo later' },
    leave,
  ]);
  assert.deepEqual(wordsOf(await folder.nodes(['tree'])).slice(-2), ['user: echo later', 'assistant: later']);
});

test('[CH12] Ctrl-C stops the answer and keeps what was said; a second one leaves with 130', async (context) => {
  const { code, folder, shown } = await chatWith(
    context,
    [
      { after: /> $/, type: 'x' },
      { after: /The slow/, press: 'Ctrl-C' },
      { after: /> $/, type: '/model demo:echo' },
      { after: /> $/, type: 'still here' },
      { after: /> $/, press: 'Ctrl-C' },
      { after: /to leave/, press: 'Ctrl-C' },
    ],
    ['-m', 'demo:slow'],
  );
  assert.equal(code, 130);
  assert.match(shown, /\(stopped; the text so far is kept\)/);
  const nodes = await folder.nodes(['tree']);
  assert.equal(nodes[1]?.message.content[0]?.error?.code, 'stopped');
  assert.deepEqual(wordsOf(nodes).slice(2), ['user: still here', 'assistant: still here']);
});

test('[CH12] /stop stops, /quit in the middle of an answer stops it and leaves with 0', async (context) => {
  const { code, folder } = await chatWith(
    context,
    [
      { after: /> $/, type: 'x' },
      { after: /The slow/, type: '/stop' },
      { after: /> $/, type: 'y' },
      { after: /The slow/, type: '/fork' },
      { after: /has to wait/, type: '/quit' },
    ],
    ['-m', 'demo:slow'],
  );
  assert.equal(code, 0);
  const nodes = await folder.nodes(['tree']);
  assert.deepEqual(
    nodes.map(({ message }) => message.content[0]?.error?.code),
    [undefined, 'stopped', undefined, 'stopped'],
  );
});

test('[CH26] a message that waits for an answer that is stopped is not sent: it is in the line again, or shown', async (context) => {
  const { folder } = await chatWith(
    context,
    [
      { after: /> $/, type: 'x' },
      { after: /The slow/, type: '/queue echo later' },
      { after: /weaver/, type: '/stop' },
      { after: /<echo later>[^]*> $/, type: 'y' },
      { after: /The slow/, type: '/queue echo never' },
      { after: /weaver/, type: '/quit' },
      { after: /Not sent, because the answer was stopped: echo never/, press: 'Ctrl-C' },
    ],
    ['-m', 'demo:slow'],
  );
  assert.equal((await folder.nodes(['tree'])).length, 4);
});

test('[CH52] what looks like a key is not sent before the person has said so', async (context) => {
  const key = `sk-${'a1B2'.repeat(6)}`;
  const { folder } = await chatWith(context, [
    { after: /> $/, type: `echo ${key}` },
    { after: /looks like a key[^]*> $/, type: 'echo never mind' },
    { after: /never mind\n[^]*> $/, type: 'y' },
    { after: /> $/, type: `echo ${key}` },
    { after: /looks like a key[^]*> $/, type: 'y' },
    leave,
  ]);
  const said = wordsOf(await folder.nodes(['tree'])).filter((words) => words.startsWith('user'));
  assert.deepEqual(said, ['user: echo never mind', 'user: y', `user: echo ${key}`]);
});

test('[CH27] /retry has the last message answered again, and after an error too', async (context) => {
  const { folder } = await chatWith(context, [
    { after: /> $/, type: '/retry' },
    { after: /nothing has been said yet[^]*> $/, type: 'echo one' },
    { after: /> $/, type: '/retry' },
    { after: /one\n[^]*> $/, type: 'echo two' },
    { after: /> $/, type: 'show me an error' },
    { after: /> $/, type: '/retry' },
    { after: /> $/, press: 'Ctrl-D' },
  ]);
  const nodes = await folder.nodes(['tree']);
  const parents = Map.groupBy(nodes, ({ parent_id }) => parent_id.split('/').at(-1));
  assert.deepEqual(wordsOf(parents.get('node-1') ?? []), ['assistant: one', 'assistant: one']);
  assert.deepEqual(wordsOf(parents.get('node-3') ?? []), ['user: echo two'], 'the chat goes on from the new answer');
  const errors = nodes.find(({ message }) => message.content[0]?.text === 'show me an error');
  assert.equal(nodes.filter(({ parent_id }) => parent_id === errors?.id).length, 2);
});

test('[CH28] a chat at a message without an answer offers to have it answered; through a pipe it is answered first', async (context) => {
  const folder = new ForestFolder(context);
  await folder.say('echo one');
  const edit = async (text: string): Promise<void> => void (await folder.succeed(['edit', 'node-1', text]));
  await edit('echo two');
  await chatWith(
    context,
    [{ after: /node-3 has no answer yet[^]*> $/, type: '' }, { after: /two\n[^]*> $/, type: '' }, leave],
    ['--node', 'node-3'],
    folder,
  );
  assert.deepEqual(wordsOf(await folder.nodes(['show', 'node-4'])), ['user: echo two', 'assistant: two']);
  await edit('echo three');
  assert.equal(await folder.succeed(['chat', '--node', 'node-5'], { input: '' }), 'three\n');
  assert.equal(await folder.succeed(['chat', '--node', 'node-4'], { input: '' }), '', 'an answer is not answered');
});

test('[CH30] [CH31] [CH44] a text on the command line is said first; at the end the chat says how to go on, and does', async (context) => {
  const first = await chatWith(
    context,
    [{ after: /> echo hello there\n\nhello there\n[^]*> $/, press: 'Ctrl-D' }],
    ['echo', 'hello there'],
  );
  const { folder } = first;
  const [, line = ''] = /^To continue: loom (.*)\n$/.exec(first.out) ?? [];
  assert.match(line, / --data-dir /);
  assert.match(
    await folder.succeed(line.split(' '), { input: '/tree\n' }),
    /node-2 {2}demo {2}hello there {2}← you are here/,
  );
  const next = await chatWith(context, [leave], ['--continue'], folder);
  assert.match(
    next.shown,
    /^Continuing from node-2 of “echo hello there” with demo\.[^]*you · node-1\necho hello there\n\ndemo · node-2\nhello there\n/,
  );
  assert.equal(await folder.succeed(['chat', 'echo piped'], { input: 'and more' }), 'piped\n\nand more\n');
  assert.equal((await folder.run(['chat', 'echo', '-p', 'echo'])).code, 2);
});

test('[CH31] a recap is short, however much was said', async (context) => {
  const folder = new ForestFolder(context);
  for (let index = 0; index < 4; index += 1)
    await folder.say(`echo ${'line\n'.repeat(30)}${index}`, ...(index === 0 ? [] : ['-c']));
  const { shown } = await chatWith(context, [leave], ['--continue'], folder);
  assert.match(shown, /\(4 messages before this\)\n\nyou · node-5\n/);
  assert.equal(shown.match(/… 24 more lines/g)?.length, 4);
});

test('[CH16] help fits 80 columns', async (context) => {
  const { shown } = await chatWith(context, [{ after: /> $/, type: '/help' }, leave]);
  const help = shown.split('\n').filter((line) => line.startsWith('/'));
  assert.ok(help.length > 10);
  for (const line of help) assert.ok(line.length <= 80, line);
});

test('[CH13] [CH83] calls are decided about one by one; always approves those that wait for the same rule, and later ones', async (context) => {
  const call = 'call run_command {"command":"ls"}';
  const { shown, folder } = await chatWith(context, [
    { after: /> $/, type: call },
    { after: /\$ ls\n(?:.*\n)*Run run_command\?.*: $/, type: '' },
    { after: /Run run_command\?.*: $/, type: 'not today' },
    { after: /> $/, type: `${call}\n${call}` },
    { after: /Run run_command\?.*: $/, type: 'a' },
    { after: /Stored as .*"command":"ls"(?:.*\n)*How far\?.*: $/, type: '1' },
    { after: /> $/, type: call },
    leave,
  ]);
  assert.equal(shown.match(/Run run_command\?/g)?.length, 3);
  assert.equal(shown.match(/allowed by person, from now on in this conversation\n/g)?.length, 2);
  const results = (await folder.nodes(['tree'])).filter(({ message }) => message.role === 'tool');
  assert.deepEqual(
    results.map(({ message }) => message.content.find(({ text }) => text !== undefined)?.text?.split('\n')[0]),
    ['not today', 'Exit code 0', 'Exit code 0', 'Exit code 0'],
  );
});

test('[CH14] a question of the model is answered by the next line', async (context) => {
  const { shown } = await chatWith(context, [
    { after: /> $/, type: 'ask me something' },
    { after: /Which colour(?:.*\n)*Your answer \(a number.*: $/, type: 'green' },
    leave,
  ]);
  assert.match(shown, /I will remember it in this branch: green/);
});

test('[CH84] [CH85] questions are numbered and answered one by one; arguments are changed before a call runs', async (context) => {
  const { shown, folder } = await chatWith(context, [
    { after: /> $/, type: 'ask me three things' },
    {
      after: /1\. Which threads.*\(choose any\)\n {4}1 {2}Warp: The long(?:.*\n)*Your answer 1 of 3.*: $/,
      type: '2,1',
    },
    { after: /Your answer 2 of 3.*: $/, type: '9' },
    { after: /Choose from 1 to 2(?:.*\n)*Your answer 2 of 3.*: $/, type: 'when it rains' },
    { after: /Your answer 3 of 3: $/, type: 'a sail' },
    { after: /This is what I heard(?:.*\n)*> $/, type: 'run `ls`' },
    { after: /Run run_command\?.*: $/, type: 'c' },
    { after: /Arguments, as JSON.*<\{"command":"ls"\}>$/, type: '{"command":"git status"}' },
    leave,
  ]);
  assert.match(shown, /answered by person: Warp, Weft · when it rains · a sail\n/);
  assert.match(shown, /allowed by person, with \{"command":"git status"\}\n/);
  assert.match(shown, /Which threads should be dyed\? Warp, Weft\n[^]*When should I begin\? when it rains/);
  const results = (await folder.nodes(['tree'])).filter(({ message }) => message.role === 'tool');
  assert.match(JSON.stringify(results[1]?.message.content), /working tree clean/);
});

test('[CH15] /fork goes back before the last message, to a node, or behind a block', async (context) => {
  const { folder, shown } = await chatWith(context, [
    { after: /> $/, type: 'echo one' },
    { after: /> $/, type: 'call weather {"city":"Oslo"}\ncall weather {"city":"Rome"}' },
    { after: /> $/, type: '/fork' },
    { after: /at node-2(?:.*\n)*> $/, type: 'echo two' },
    { after: /> $/, type: '/fork 1' },
    { after: /at node-1(?:.*\n)*> $/, type: 'echo three' },
    { after: /> $/, type: '/fork node-4 1' },
    { after: /> $/, type: 'echo four' },
    { after: /> $/, type: '/fork node-99' },
    { after: /there is no node(?:.*\n)*> $/, type: '/fork node-4 9' },
    { after: /has no block 9(?:.*\n)*> $/, type: '/tree' },
    leave,
  ]);
  const nodes = await folder.nodes(['tree']);
  const parentOf = (text: string): string | undefined =>
    nodes
      .find(({ message }) => message.content[0]?.text === text)
      ?.parent_id.split('/')
      .at(-1);
  assert.equal(parentOf('echo two'), 'node-2');
  assert.equal(parentOf('echo three'), 'node-1');
  const four = nodes.find(({ message }) => message.content[0]?.text === 'echo four');
  const above = nodes.find(({ id }) => id === four?.parent_id);
  assert.match(above?.message.content[0]?.text ?? '', /^Oslo/);
  assert.match(shown, /├─ node-3[^]*four {2}← you are here/);
});

test('[CH16] /model lists and switches and says the cost, /help lists, /undo takes back what can be taken back', async (context) => {
  const { shown } = await chatWith(context, [
    { after: /> $/, type: '/undo' },
    { after: /nothing has been said yet(?:.*\n)*> $/, type: '/help' },
    { after: /\/fork \[node\](?:.*\n)*> $/, type: '/model' },
    { after: /→ demo (?:.*\n)*> $/, type: '/model demo:thinking' },
    { after: /by demo:thinking(?:.*\n)*> $/, type: 'echo one' },
    { after: /Thinking: (?:.*\n)*one\n(?:.*\n)*> $/, type: '/model demo:echo' },
    {
      after: /reads about \d+ tokens? again and does not see 1 thought of the previous model(?:.*\n)*> $/,
      type: '/undo',
    },
    { after: /A message that was answered cannot be undone(?:.*\n)*> $/, type: '/fork node-2 1' },
    { after: /You are now at node-3(?:.*\n)*> $/, type: '/undo' },
    { after: /Undone\. You are at node-1(?:.*\n)*> $/, press: 'Ctrl-D' },
  ]);
  assert.ok(!shown.includes('\u001B'));
});

test('[CH17] an unknown slash command ends nothing, and two slashes are one', async (context) => {
  const { folder } = await chatWith(
    context,
    [
      { after: /> $/, type: '/tre' },
      { after: /Did you mean \/tree\?(?:.*\n)*> $/, type: '/model nonsense' },
      { after: /there is no model(?:.*\n)*> $/, type: '//tree' },
      leave,
    ],
    ['-m', 'demo:echo'],
  );
  assert.deepEqual(wordsOf(await folder.nodes(['tree'])), ['user: /tree', 'assistant: /tree']);
});

test('[CH21] a line that ends with a backslash goes on in the next one', async (context) => {
  const { folder } = await chatWith(
    context,
    [{ after: /> $/, type: 'one\\' }, { after: /… $/, type: '/two\\' }, { after: /… $/, type: 'three' }, leave],
    ['-m', 'demo:echo'],
  );
  assert.deepEqual(wordsOf(await folder.nodes(['tree'])), ['user: one\n/two\nthree', 'assistant: one\n/two\nthree']);
});

test('[CH13] no person left to ask: a call that waits in a chat through a pipe is denied', async (context) => {
  const folder = new ForestFolder(context);
  assert.equal((await folder.run(['chat'], { input: 'call run_command {"command":"ls"}\n' })).code, 0);
  const [, , result] = await folder.nodes(['tree']);
  assert.match(result?.message.content[0]?.text ?? '', /The input has ended, so this call cannot be decided/);
});
