import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { z } from 'zod';
import { runCommandLine } from '../command-line/command-line.ts';
import { fakeTerminal } from '../testing/fake-terminal.ts';
import { ForestFolder, jsonLines, wordsOf } from '../testing/forest-folder.ts';

const event = z.looseObject({
  type: z.string().optional(),
  key: z.string().optional(),
  message: z.string().optional(),
});

test('[CH1] -p begins a new conversation each time and prints the answer alone', async (context) => {
  const folder = new ForestFolder(context);
  assert.deepEqual(await folder.run(['chat', '-p', 'echo one']), { code: 0, out: 'one\n', note: '' });
  assert.equal(await folder.succeed(['chat', '-p', 'echo two']), 'two\n');
  assert.deepEqual(wordsOf(await folder.nodes(['tree'])), [
    'user: echo one',
    'assistant: one',
    'user: echo two',
    'assistant: two',
  ]);
});

test('[CH1] thinking, calls and results go to stderr', async (context) => {
  const folder = new ForestFolder(context);
  const { out, note } = await folder.run(['chat', '-m', 'demo:thinking', '-p', 'call weather {"city":"Oslo"}']);
  assert.match(out, /^- `weather` said “Oslo: .*”\.\n$/);
  assert.match(note, /^Thinking: The person said .*\n\n● weather city: Oslo\n {2}✔ weather\n {4}Oslo: /);
});

test('[CH1] with - the message is read from standard input, also where it is long', async (context) => {
  const folder = new ForestFolder(context);
  assert.equal(await folder.succeed(['chat', '-p', '-'], { input: 'echo a\nb\n' }), 'a\nb\n');
  assert.equal((await folder.run(['chat', '-p', '-'], { input: ' \n' })).code, 2);
});

test('[CH24] what is piped in stands below the prompt', async (context) => {
  const folder = new ForestFolder(context);
  assert.equal(await folder.succeed(['chat', '-p', 'echo sum up'], { input: 'a\nb\n' }), 'sum up\n\na\nb\n');
  assert.equal(await folder.succeed(['chat', '-p', 'echo alone'], { input: ' \n' }), 'alone\n');
  assert.equal(await folder.succeed(['chat', '-p', 'echo typed'], { keyboard: 'not read' }), 'typed\n');
});

test('[CH25] [CH9] a blank message is refused before anything is made', async (context) => {
  const folder = new ForestFolder(context);
  const { code, out, note } = await folder.run(['chat', '-p', '  ']);
  assert.deepEqual([code, out], [2, '']);
  assert.match(note, /the message is empty/);
  assert.equal(existsSync(folder.dataDir), false);
});

test('[LM19] what is piped into a chat, or named as a file, and is not UTF-8 is refused', async (context) => {
  const folder = new ForestFolder(context);
  const input = Buffer.from('caf\u00e9', 'latin1');
  for (const args of [
    ['chat', '-p', '-'],
    ['chat', '-p', 'echo x'],
    ['chat', '--json'],
  ]) {
    const { code, out, note } = await folder.run(args, { input });
    assert.equal(code, 1);
    assert.match(note + out, /standard input is not valid UTF-8/);
  }
  assert.equal(existsSync(folder.dataDir), false);
  await folder.say('echo one');
  const file = `${folder.dataDir}.diff`;
  writeFileSync(file, input);
  assert.match((await folder.run(['patch', 'node-1', file])).note, /\.diff is not valid UTF-8/);
});

test('[CH2] --continue goes on from the most recent leaf, --node from any node or root', async (context) => {
  const folder = new ForestFolder(context);
  const first = await folder.say('echo one');
  const second = await folder.say('echo two');
  const third = await folder.say('echo three', '--continue');
  assert.equal(third.root, second.root);
  const back = await folder.say('echo four', '--node', first.node);
  assert.equal(back.root, first.root);
  assert.deepEqual(wordsOf(await folder.nodes(['show', back.node])).slice(1, 3), ['assistant: one', 'user: echo four']);
  assert.equal((await folder.say('echo five', '--continue')).root, first.root);
  const branch = await folder.say('echo six', '--node', `${second.root}/node-2`);
  assert.deepEqual(wordsOf(await folder.nodes(['show', branch.node])), [
    'user: echo two',
    'assistant: two',
    'user: echo six',
    'assistant: six',
  ]);
  assert.equal((await folder.say('echo seven', '--node', second.root)).root, second.root);
});

test('[CH2] --continue passes over a conversation that was killed before its first message', async (context) => {
  const folder = new ForestFolder(context);
  await folder.succeed(['call', 'root.create', '{}']);
  const nothing = await folder.run(['chat', '-c', '-p', 'echo one']);
  assert.equal(nothing.code, 1);
  assert.match(nothing.note, /there is no conversation to continue\nStart one: loom chat/u);
  const { root } = await folder.say('echo one');
  await folder.succeed(['call', 'root.create', '{}']);
  await folder.succeed(['chat', '-c', '-p', 'echo two']);
  assert.equal((await folder.nodes(['show', root])).length, 4);
});

test('[CH2] [FC5] [FC13] going on from nothing, or from an id that nothing has, is refused with advice', async (context) => {
  const folder = new ForestFolder(context);
  const nothing = await folder.run(['chat', '--continue', '-p', 'echo x']);
  assert.deepEqual([nothing.code, nothing.out], [1, '']);
  assert.match(nothing.note, /there is no conversation in .*\n.*start a conversation there: loom chat/);
  await folder.say('echo one');
  const missing = await folder.run(['chat', '--node', 'node-77', '-p', 'echo x']);
  assert.deepEqual([missing.code, missing.out], [1, '']);
  assert.match(missing.note, /node-77.*\n.*loom tree/);
  const asJson = await folder.run(['chat', '--json', '--node', 'node-77', '-p', 'echo x']);
  assert.match(asJson.out, /^\{"ok":false,"error":\{"code":"node-not-found"/);
  assert.equal((await folder.nodes(['tree'])).length, 2);
  assert.equal((await folder.run(['chat', '--continue', '--node', 'node-1', '-p', 'x'])).code, 2);
});

test('[CH4] --json prints provider events whose deltas add up, and last where it ended', async (context) => {
  const folder = new ForestFolder(context);
  const lines = jsonLines(
    await folder.succeed(['chat', '--json', '-y', '-p', 'call write_file {"file_path":"a","content":"b"}']),
  );
  const events = lines.slice(0, -1).map((line) => event.parse(line));
  assert.deepEqual(
    events.map(({ type }) => type).filter((type) => type !== 'block-delta'),
    [
      'turn-started',
      'call-start',
      'block-start',
      'block-end',
      'usage',
      'call-end',
      'ask',
      'approval',
      'tool-started',
      'block',
      'block',
      'call-start',
      'block-start',
      'block-end',
      'usage',
      'call-end',
      'turn-ended',
    ],
  );
  const nodes = await folder.nodes(['tree']);
  const last = nodes.at(-1);
  assert.deepEqual(lines.at(-1), { root: last?.root_id, node: last?.id });
  const text = z.looseObject({ type: z.literal('block-delta'), field: z.literal('text'), text: z.string() });
  const said = events.flatMap((one) => text.safeParse(one).data?.text ?? []).join('');
  assert.equal(said, last?.message.content[0]?.text);
  const written = events.filter(({ type }) => type === 'block');
  assert.ok(written.every(({ message }) => message === nodes[2]?.id));
});

test('[CH4] [CH8] an answer that breaks off ends with call-error and the place, and with exit code 1', async (context) => {
  const folder = new ForestFolder(context);
  const { code, out, note } = await folder.run(['chat', '--json', '-m', 'demo:error', '-p', 'x']);
  assert.deepEqual([code, note], [1, '']);
  const lines = jsonLines(out).map((line) => event.parse(line));
  assert.deepEqual(
    lines.map(({ type }) => type).filter((type) => type !== 'block-delta'),
    ['turn-started', 'call-start', 'block-start', 'usage', 'call-error', 'turn-ended', undefined],
  );
  const asText = await folder.run(['chat', '-m', 'demo/error', '-p', 'x']);
  assert.equal(asText.code, 1);
  assert.match(asText.out, /^I was about to tell you .* the most\n$/);
  assert.match(asText.note, /overloaded: .*\nloom: the answer is not complete\n/);
});

test('[CH23] an answer that is cut off by the limit of its length says so, one that is whole does not', async (context) => {
  const folder = new ForestFolder(context);
  await folder.succeed(['config', 'set', 'defaults.maxTokens', '2']);
  const { code, out, note } = await folder.run(['chat', '-p', 'echo a long way to go']);
  assert.deepEqual([code, out], [0, 'a long w\n']);
  assert.match(note, /\(cut off: the limit of output tokens/);
  assert.equal((await folder.run(['chat', '-p', 'echo short'])).note, '');
});

test('[CH4] without -p the text is what is piped in', async (context) => {
  const folder = new ForestFolder(context);
  const lines = jsonLines(await folder.succeed(['chat', '--json'], { input: 'echo piped\n' }));
  assert.ok(lines.length > 3);
  assert.deepEqual(wordsOf(await folder.nodes(['tree'])), ['user: echo piped', 'assistant: piped']);
  assert.equal((await folder.run(['chat', '--json'], { keyboard: '' })).code, 2);
});

test('[CH39] the output of a command is shown as it comes, before its result', async (context) => {
  const folder = new ForestFolder(context);
  const { note } = await folder.run(['chat', '-y', '-p', 'run the tests']);
  assert.match(note, /^ {2}\$ npm test\n {4}✔ greets by name\n(?: {4}.*\n)+ {2}✔ run_command\n$/mu);
  assert.equal(note.match(/greets by name/gu)?.length, 1);
});

test('[CH40] [FC34] what an agent says that was sent out is shown as it speaks; ls and tree say where it belongs', async (context) => {
  const folder = new ForestFolder(context);
  const { note } = await folder.run(['chat', '-y', '-p', 'send out an agent']);
  assert.match(note, /^● agent .*\n {4}⤷ One, two, three .*\n {2}✔ agent\n/mu);
  const listed = await folder.succeed(['ls']);
  assert.match(listed, /^root-\w+ {2}Count the threads\. .*, sent out by \w{4}\/node-3$/mu);
  assert.match(await folder.succeed(['tree']), /^root-\w+ {2}Count the threads\. {2}\(sent out by \w{4}\/node-3\)$/mu);
});

test('[CH46] --json tells what an agent says that was sent out, each event with the conversation that it is of', async (context) => {
  const folder = new ForestFolder(context);
  const lines = jsonLines(await folder.succeed(['chat', '--json', '-y', '-p', 'send out an agent']));
  const told = z.looseObject({ type: z.string(), child: z.string().optional(), text: z.string().optional() });
  const events = lines.slice(0, -1).map((line) => told.parse(line));
  const named = z.looseObject({ block: z.looseObject({ type: z.literal('conversation'), root: z.string() }) });
  const [root = ''] = lines.flatMap((line) => named.safeParse(line).data?.block.root ?? []);
  const ofChild = events.filter(({ child }) => child !== undefined);
  assert.deepEqual(new Set(ofChild.map(({ child }) => child)), new Set([root]));
  const kinds = ofChild.map(({ type }) => type).filter((type) => type !== 'block-delta');
  assert.deepEqual(kinds, ['call-start', 'block-start', 'block-end']);
  const words = (of: typeof events): string => of.map(({ text = '' }) => text).join('');
  assert.equal(words(ofChild), 'One, two, three … a hundred and forty-four threads.');
  assert.doesNotMatch(words(events.filter(({ child }) => child === undefined)), /forty-four/u);
  assert.equal(events.filter(({ type }) => type === 'turn-ended').length, 1);
});

test('[CH5] -p denies what asks, with a hint; --yes approves; a question is never answered', async (context) => {
  const folder = new ForestFolder(context);
  const line = 'call run_command {"command":"ls"}';
  const denied = await folder.run(['chat', '-p', line]);
  assert.equal(denied.code, 0);
  assert.match(denied.note, /● run_command\n {2}\$ ls\n/);
  assert.match(
    denied.note,
    /denied run_command, which needs permission\. --yes approves every call; loom chat --data-dir \S+ asks you/,
  );
  assert.match(denied.note, /✘ run_command was denied/);
  const approved = await folder.run(['chat', '-y', '-p', line]);
  assert.match(approved.note, /^ {2}\$ ls\n {4}README\.md\n(?: {4}.*\n)* {2}✔ run_command$/mu);
  const asked = await folder.run(['chat', '-y', '-p', 'ask me something']);
  assert.match(asked.note, /● ask_person\n {2}Which colour .*\n {4}1 {2}Blue\n {4}2 {2}Madder red\n/);
  assert.match(
    asked.note,
    /ask_person asked this, and -p cannot answer\. Say it in the next message \(loom chat --continue -p/,
  );
  const events = (await folder.succeed(['chat', '--json', '-p', 'ask me something'])).split('\n');
  const told = events.find((event) => event.startsWith('{"type":"ask"')) ?? '{}';
  assert.match(told, /"questions":\[\{"text":"Which colour[^]*"label":"Blue"/);
  assert.equal((await folder.run(['chat', '--yes'])).code, 2);
});

test('[CH86] of a long output a chat shows both ends and the command that prints all of it', async (context) => {
  const folder = new ForestFolder(context);
  const { note } = await folder.run(['chat', '-y', '-p', 'run `seq 30000`']);
  const [, blob = ''] =
    /… 168\.9 kB in all: loom read (sha256:\w+) --data-dir \S+\n {4}29998\n {4}29999\n {4}30000\n/.exec(note) ?? [];
  const all = await folder.succeed(['read', blob]);
  assert.equal(all, `${Array.from({ length: 30_000 }, (_, index) => index + 1).join('\n')}\n`);
  assert.equal((await folder.run(['read', blob.replace(/.$/, 'g')])).code, 1);
});

test('[CH6] the model is chosen by option, else by config, else it is the demo', async (context) => {
  const folder = new ForestFolder(context);
  assert.equal(await folder.succeed(['chat', '-m', 'demo:echo', '-p', 'one two']), 'one two\n');
  await folder.succeed(['config', 'set', 'defaults.model', 'demo/echo']);
  assert.equal(await folder.succeed(['chat', '-p', 'three']), 'three\n');
  for (const [name, advice] of [
    ['demo:slwo', /Did you mean demo:slow\?/],
    ['thinkng', /Did you mean demo:thinking\?/],
    ['openai/gpt-4o', /Set OPENAI_API_KEY, or: loom config set providers.openai.apiKey -/],
  ] as const) {
    const refused = await folder.run(['chat', '-m', name, '-p', 'x']);
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.match(refused.note, advice);
  }
  assert.equal((await folder.nodes(['tree'])).length, 4);
});

test('[CH7] a new conversation has its prompt from --system, else from the config', async (context) => {
  const folder = new ForestFolder(context);
  await folder.succeed(['chat', '--system', 'Be brief.', '-p', 'echo one']);
  await folder.succeed(['config', 'set', 'defaults.systemPrompt', 'Be kind.']);
  await folder.succeed(['chat', '-p', 'echo two']);
  const roots = jsonLines(await folder.succeed(['ls', '--json'])).map((line) =>
    z.looseObject({ config: z.looseObject({ systemPrompt: z.string() }) }).parse(line),
  );
  assert.deepEqual(roots.map(({ config }) => config.systemPrompt).sort(), ['Be brief.', 'Be kind.']);
  assert.equal((await folder.run(['chat', '--continue', '--system', 'x', '-p', 'y'])).code, 2);
});

test('[CH8] Ctrl-C stops an answer, keeps what was said, and ends with 130', async (context) => {
  const folder = new ForestFolder(context);
  const interrupts = new Set<() => void>();
  const { terminal } = fakeTerminal({ interrupts });
  const delta = z.looseObject({ type: z.literal('block-delta'), text: z.string() });
  let said = '';
  const out = (text: string): void => {
    for (const line of jsonLines(text)) said += delta.safeParse(line).data?.text ?? '';
    // On a busy machine the first piece, which ends in the middle of a word, may come alone.
    if (said.startsWith('# The')) for (const press of interrupts) press();
  };
  const args = ['chat', '--json', '-m', 'demo:slow', '-p', 'x', '--data-dir', folder.dataDir];
  assert.equal(await runCommandLine(args, { ...terminal, out }), 130);
  const [, answer] = await folder.nodes(['tree']);
  assert.equal(answer?.message.content[0]?.error?.code, 'stopped');
  assert.match(answer?.message.content[0]?.text ?? '', /^# The/);
});

test('[CH9] a chat in which nothing is said leaves no root behind', async (context) => {
  const folder = new ForestFolder(context);
  assert.deepEqual(await folder.run(['chat'], { input: '\n/help\n' }).then(({ code }) => code), 0);
  assert.deepEqual(await folder.nodes(['tree']), []);
});

test('[FC2] [FC33] looking at a folder that is not there shows nothing and makes nothing', async (context) => {
  const folder = new ForestFolder(context);
  for (const command of ['ls', 'tree', 'bookmark']) {
    const { code, out, note } = await folder.run([command]);
    assert.deepEqual([code, out], [0, '']);
    assert.match(
      note,
      /There (?:is no conversation in .*\/data\. To start one: loom chat --data-dir|are no bookmarks)/,
    );
  }
  for (const args of [
    ['show', 'node-1'],
    ['read', '@person/1'],
    ['history', 'node-1'],
    ['search', 'x'],
    ['diff', '1', '2'],
  ]) {
    const { code, note } = await folder.run(args);
    assert.equal(code, 1);
    assert.match(note, /there is no conversation in .*\/data\n/, args.join(' '));
  }
  assert.equal(existsSync(folder.dataDir), false);
});

test('[CH38] an answer goes on from its end with --extend and /continue, and is shown as one', async (context) => {
  const folder = new ForestFolder(context);
  await folder.say('hello');
  const more = await folder.succeed(['chat', '--continue', '--extend']);
  assert.notEqual(more.trim(), '');
  const shown = await folder.succeed(['show', 'node-3']);
  assert.match(shown, /node-2, node-3/);
  await folder.succeed(['chat', '--continue'], { input: '/continue\n' });
  assert.match(await folder.succeed(['show', 'node-4']), /node-2, node-3, node-4/);
  const wrong = await folder.run(['chat', '--extend']);
  assert.equal(wrong.code, 2);
});

test('[CH42] several answers of one model or of several are branches, shown one after the other', async (context) => {
  const folder = new ForestFolder(context);
  const { out, note } = await folder.run(['chat', '-p', 'echo hi', '-n', '2', '-m', 'demo', '-m', 'demo:terse']);
  assert.equal(out, 'hi\n\nhi\n\nIn short: “echo hi” Noted.\n\nIn short: “echo hi” Noted.\n');
  assert.match(note, /node-2, by demo:\s+node-3, by demo:\s+node-4, by demo:terse:\s+node-5, by demo:terse:/);
  const nodes = await folder.nodes(['tree']);
  assert.deepEqual(
    nodes.map(({ parent_id: parent }) => parent.split('/')[1]),
    [undefined, 'node-1', 'node-1', 'node-1', 'node-1'],
  );
  const chat = await folder.succeed(['chat', '--node', 'node-2'], { input: '/pick\n/pick 3\necho on\n/n 0\n' });
  assert.match(chat, /→ 1 {2}node-2 {2}demo/);
  assert.match(chat, /You go on from node-4/);
  assert.match(chat, /needs a whole number/);
  assert.equal((await folder.nodes(['show', 'node-6'])).at(-2)?.id.split('/')[1], 'node-4');
});

test('[CH43] how many answers there are says the command line, else the preset, else the defaults; several of the configuration are told of', async (context) => {
  const folder = new ForestFolder(context);
  const set = (key: string, value: string): Promise<string> => folder.succeed(['config', 'set', key, value]);
  await set('defaults.n', '2');
  await set('presets.many.n', '3');
  await set('presets.plain.temperature', '0.5');
  const ask = async (...options: string[]): Promise<[answers: number, note: string]> => {
    const { out, note } = await folder.run(['chat', '-p', 'echo hi', ...options]);
    return [out.split('hi').length - 1, note];
  };
  const [byDefault, told] = await ask();
  assert.equal(byDefault, 2);
  assert.match(told, /^defaults\.n is 2, so each message gets 2 answers, and no tools are used\. .* -n 1/);
  const [byPreset, toldOfPreset] = await ask('--preset', 'many');
  assert.equal(byPreset, 3);
  assert.match(toldOfPreset, /^presets\.many\.n is 3/);
  assert.equal((await ask('--preset', 'plain'))[0], 2);
  assert.deepEqual(await ask('--preset', 'many', '-n', '1'), [1, '']);
  const withTool = await folder.run(['chat', '-n', '1', '-p', 'call weather {"city":"Oslo"}']);
  assert.match(withTool.note, /● weather/);
  await set('defaults.n', '500');
  const refused = await folder.run(['chat', '-p', 'echo hi']);
  assert.equal(refused.code, 1);
  assert.match(
    refused.note,
    /defaults\.n is 500, and a message gets at most 99 answers\.?\s+Set fewer: loom config set defaults\.n 1/,
  );
});
