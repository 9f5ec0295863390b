import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { z } from 'zod';
import { chatWith } from '../../testing/chatting-person.ts';
import type { Deed } from '../../testing/chatting-person.ts';
import { ForestFolder, jsonLines } from '../../testing/forest-folder.ts';
import { leaveWaiting } from '../../testing/waiting-turn.ts';

function folderIn(context: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'loom-agents-')));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const end = z.object({ root: z.string(), node: z.string(), outcome: z.string(), denied: z.number() });
const config = z.object({ config: z.looseObject({}) });
const configOf = async (folder: ForestFolder, root: string) => {
  const answer: unknown = JSON.parse(await folder.succeed(['call', 'root.get', JSON.stringify({ root })]));
  const { agent_prompt: _prompt, ...own } = config.parse(answer).config;
  return own;
};

test('[AG20] loom run does a task in a folder, and its exit code says how it ended', async (context) => {
  const folder = new ForestFolder(context);
  const place = folderIn(context);
  const done = await folder.run(['run', '--dir', place, '--mode', 'edit', '--model', 'demo', 'echo one']);
  assert.deepEqual([done.code, done.out.trim()], [0, 'one']);
  const asking = ['run', '--dir', place, '--model', 'demo', 'call run_command {"command":"ls"}'];
  const denied = await folder.run(asking);
  assert.equal(denied.code, 3);
  assert.match(denied.note, /denied run_command, which needs a person\. Nothing is asked here\./u);
  assert.match(denied.note, /1 call denied, so the task may not be finished/u);
  const json = await folder.run(['run', '--json', ...asking.slice(1)]);
  assert.equal(json.code, 3);
  const { outcome, denied: count, root } = end.parse(jsonLines(json.out).at(-1));
  assert.deepEqual([outcome, count], ['denied', 1]);
  assert.deepEqual(await configOf(folder, root), { directory: place });
});

test('[AG20] a spending limit ends loom run with a code of its own', async (context) => {
  const folder = new ForestFolder(context);
  await folder.succeed(['config', 'set', 'limits.day_usd', '0']);
  const { code, note, out } = await folder.run(['run', '--dir', folderIn(context), '--model', 'demo', 'echo one']);
  assert.deepEqual([code, out], [4, '']);
  assert.match(note, /spending-limit: Today’s calls have cost \$0\.00, and the limit of a day is \$0\.00\./u);
  const [, node = ''] = /stopped at a spending limit; .*approvals allow (\S+).* lets it go on/u.exec(note) ?? [];
  const listed = await folder.succeed(['approvals']);
  assert.match(listed, /spending-limit\n.*\$0\.00, and the limit of a day is \$0\.00\./su);
  await folder.succeed(['config', 'set', 'limits.day_usd', '1']);
  await folder.succeed(['approvals', 'allow', node]);
  assert.match(JSON.stringify((await folder.nodes(['show', node])).at(-1)?.message), /one/u);
  assert.match((await folder.run(['approvals'])).note, /Nothing waits for a decision\./u);
});

test('[AG21] a folder or a mode that does not exist is refused before anything is sent', async (context) => {
  const folder = new ForestFolder(context);
  for (const command of ['run', 'chat']) {
    const gone = await folder.run([command, '--dir', '/no/such/folder', 'hello']);
    assert.equal(gone.code, 2);
    assert.match(gone.note, /\/no\/such\/folder is not a folder/u);
    const odd = await folder.run([command, '--mode', 'plam', 'hello']);
    assert.equal(odd.code, 2);
    assert.match(odd.note, /Did you mean plan\?/u);
  }
  const wrong = await folder.run(['run', '--max-cost', 'much', 'hello']);
  assert.equal(wrong.code, 2);
});

test('[AG21] a chat begins in a folder and mode, and moves where it continues', async (context) => {
  const folder = new ForestFolder(context);
  const [one, other] = [folderIn(context), folderIn(context)];
  const { root } = await folder.say('echo one', '--dir', one, '--mode', 'plan');
  assert.deepEqual(await configOf(folder, root), { directory: one, approval_mode: 'plan' });
  await folder.say('echo two', '--continue', '--dir', other);
  assert.deepEqual(await configOf(folder, root), { directory: other, approval_mode: 'plan' });
});

test('[AG21] /dir, /mode and /tools show and change where tools work, before the first message too', async (context) => {
  const folder = new ForestFolder(context);
  const place = folderIn(context);
  const deeds: Deed[] = [
    { after: /> $/, type: `/dir ${place}` },
    { after: /mode ask\.\s+> $/, type: '/mode edit' },
    { after: /→ edit[^]*> $/, type: '/tools -weather' },
    { after: /tools of this conversation[^]*> $/, type: 'echo one' },
    { after: /one\s+[^]*> $/, type: '/tools +wether' },
    { after: /Did you mean weather\?\s+> $/, type: '/tools' },
    { after: /· weather +runs +\(switched off here\)[^]*> $/, press: 'Ctrl-D' },
  ];
  await chatWith(context, deeds, [], folder);
  const [{ id } = { id: '' }] = z
    .array(z.object({ id: z.string() }))
    .parse(jsonLines(await folder.succeed(['ls', '--json'])));
  const { directory, approval_mode: mode, tools } = await configOf(folder, id);
  assert.deepEqual([directory, mode, z.array(z.string()).parse(tools).includes('weather')], [place, 'edit', false]);
});

/** A Claude Code that offers a command, and repeats what it is told. */
const offeringClaude = `
const print = (line) => console.log(JSON.stringify({ session_id: 's', ...line }));
if (process.argv.includes('auth')) { print({ loggedIn: true }); process.exit(); }
if (process.argv.includes('--version')) { console.log('2.1.325 (Claude Code)'); process.exit(); }
require('node:readline').createInterface({ input: process.stdin }).on('line', (text) => {
  const { type, request_id, message } = JSON.parse(text);
  const response = { commands: [{ name: 'review', description: 'Reviews.' }] };
  if (type === 'control_request') print({ type: 'control_response', response: { subtype: 'success', request_id, response } });
  if (type !== 'user') return;
  const id = require('node:crypto').randomUUID();
  const said = 'You said ' + message.content.at(-1).text + '.';
  print({ type: 'system', subtype: 'init', cwd: process.cwd(), model: 'm' });
  print({ type: 'assistant', uuid: id, message: { id, model: 'm', content: [{ type: 'text', text: said }] } });
  print({ type: 'result', subtype: 'success' });
}).on('close', () => process.exit());
`;

test('[CI28] the own commands of an agent that answers are listed, and sent to it from the chat; others are refused', async (context) => {
  const folder = new ForestFolder(context);
  const program = join(folderIn(context), 'claude.cjs');
  writeFileSync(program, offeringClaude);
  const command = [process.execPath, program];
  mkdirSync(folder.dataDir, { recursive: true });
  writeFileSync(join(folder.dataDir, 'config.toml'), `[agents.claude]\ncommand = ${JSON.stringify(command)}\n`);
  assert.match(await folder.succeed(['agents']), /commands in a chat: \/review/u);
  const deeds: Deed[] = [
    { after: /> $/, type: '/nonsense' },
    { after: /there is no \/nonsense[^]*> $/, type: '/review it' },
    { after: /You said \/review it\.[^]*> $/, press: 'Ctrl-D' },
  ];
  await chatWith(context, deeds, ['--agent', 'claude', '--dir', folderIn(context)], folder);
});

test('[AG22] tools are listed by group, with those that are offered and why others are not', async (context) => {
  const folder = new ForestFolder(context);
  const gpt = await folder.succeed(['tools', '--dir', folderIn(context), '--model', 'openai/gpt-5']);
  assert.match(gpt, /^files\n(?: {2}.*\n)+/mu);
  assert.match(gpt, /^ {2}✔ read +reads /mu);
  assert.match(gpt, /^ {2}· block_edit +changes +\(on request\)/mu);
  assert.doesNotMatch(gpt, /weather/u, 'the demo’s tools are the demo’s');
  const bare = await folder.run(['tools', '--model', 'anthropic/claude-sonnet-5']);
  assert.match(bare.out, /^ {2}· read +reads +\(needs a folder\)/mu);
  const { root } = await folder.say('echo one', '--mode', 'plan');
  const listed = jsonLines(await folder.succeed(['tools', root, '--model', 'anthropic/claude-sonnet-5', '--json']));
  const tool = z.object({ name: z.string(), offered: z.boolean() });
  const offered = listed.map((line) => tool.parse(line)).filter((one) => one.offered);
  assert.ok(offered.some(({ name }) => name === 'exit_plan'));
});

test('[AG23] what waits is listed with its exact command, and a decision lets the turn go on', async (context) => {
  const folder = new ForestFolder(context);
  const node = await leaveWaiting(folder, 'call run_command {"command":"ls -a"}');
  const { out } = await folder.run(['approvals']);
  assert.match(out, /● run_command\n {2}.*ls -a\n/u);
  assert.match(out, new RegExp(`approvals allow ${node}`, 'u'));
  const listed = z.object({ state: z.string(), arguments: z.string() });
  const [first] = jsonLines(await folder.succeed(['approvals', '--json']));
  assert.deepEqual(listed.parse(first), { state: 'waiting', arguments: '{"command":"ls -a"}' });
  await folder.succeed(['approvals', 'allow', node]);
  const tools = (await folder.nodes(['show', node])).at(-1);
  assert.equal(tools?.message.role, 'tool');
  const again = await folder.run(['approvals', 'allow', node]);
  assert.equal(again.code, 1);
  assert.match(again.note, /does not wait for a decision/u);
  assert.match((await folder.run(['approvals'])).note, /Nothing waits for a decision\./u);
});

test('[AG23] a call is denied with a reason, and a question is answered', async (context) => {
  const folder = new ForestFolder(context);
  const words = async (node: string) => JSON.stringify((await folder.nodes(['show', node])).at(-1)?.message);
  const command = await leaveWaiting(folder, 'call run_command {"command":"rm -rf x"}');
  await folder.succeed(['approvals', 'deny', command, 'not', 'that']);
  assert.match(await words(command), /not that/u);
  const question = await leaveWaiting(folder, 'ask me something');
  await folder.succeed(['approvals', 'answer', question, 'green']);
  assert.match(await words(question), /green/u);
});

test('[AG25] Enter lets a turn that has reached a limit spend as much again', async (context) => {
  const folder = new ForestFolder(context);
  await folder.succeed(['config', 'set', 'limits.turn_usd', '0']);
  const reached = /limit of a turn is \$0\.00\.[^]*press Enter to let it spend as much again[^]*> $/u;
  const deeds: Deed[] = [
    { after: /> $/, type: 'echo one' },
    { after: reached, type: '' },
    { after: reached, type: '' },
    { after: reached, press: 'Ctrl-D' },
  ];
  const { code } = await chatWith(context, deeds, [], folder);
  assert.equal(code, 0);
});

test('[AG43] rules are stored and tried out at the command line, and one that covers more than it seems is refused', async (context) => {
  const folder = new ForestFolder(context);
  await folder.say('echo one');
  const asks = await folder.succeed(['approvals', 'test', 'npm run check --all', '--dir', folder.dataDir]);
  assert.match(asks, /^It asks: /u);
  assert.match((await folder.run(['approvals', 'add', 'allow', 'npm run check *'])).note, /It is \S+\./u);
  const runs = await folder.succeed(['approvals', 'test', 'npm run check --all', '--dir', folder.dataDir]);
  assert.match(runs, /^It runs: A rule allows it\.\n.*npm run check/u);
  await folder.succeed(['approvals', 'add', 'deny', 'secrets/**', '--tool', 'write']);
  const words = [
    'approvals',
    'test',
    'secrets/a.txt',
    '--tool',
    'write',
    '--mode',
    'edit',
    '--json',
    '--dir',
    folder.dataDir,
  ];
  assert.partialDeepStrictEqual(jsonLines(await folder.succeed(words))[0], { permission: 'deny' });
  const joined = await folder.run(['approvals', 'add', 'allow', 'npm test; rm -rf *']);
  assert.match(joined.note, /must be one plain command/u);
  const unknown = await folder.run(['approvals', 'add', 'permit', 'npm test']);
  assert.match(unknown.note, /a rule allows, asks or denies, not "permit"/u);
});

test('[AG27] rules are listed with how often they were used, and are forgotten by their id', async (context) => {
  const folder = new ForestFolder(context);
  await folder.say('echo one');
  assert.match((await folder.run(['approvals', 'rules'])).note, /There are no rules/u);
  const rule = { tool: 'shell', command: 'git status *', effect: 'allow' };
  const added = z.object({ id: z.string() });
  const { id } = added.parse(JSON.parse(await folder.succeed(['call', 'permission.add', JSON.stringify({ rule })])));
  const listed = await folder.succeed(['approvals', 'rules']);
  assert.match(listed, new RegExp(`^${id}  not used yet · stored .* by person$`, 'mu'));
  assert.match(listed, /`git status`/u);
  const [line] = jsonLines(await folder.succeed(['approvals', 'rules', '--json']));
  assert.partialDeepStrictEqual(line, { id, rule, uses: 0 });
  await folder.succeed(['approvals', 'forget', id]);
  const gone = await folder.run(['approvals', 'forget', id]);
  assert.equal(gone.code, 1);
  assert.match(gone.note, new RegExp(`there is no rule ${id}`, 'u'));
});

test('[AG40] loom board prints what waits and what has ended, as the page shows it', async (context) => {
  const folder = new ForestFolder(context);
  assert.equal((await folder.run(['board'])).out, '');
  await folder.say('echo one');
  const node = await leaveWaiting(folder, 'call run_command {"command":"ls -a"}');
  const { out } = await folder.run(['board']);
  assert.match(out, /^Needs you 1\n {2}call run_command .* demo\/demo/u);
  assert.match(out, /\n {4}● run_command ls -a\n/u);
  assert.match(out, new RegExp(`approvals allow ${node}`, 'u'));
  assert.match(out, /\nFinished 1\n {2}echo one .*\n {4}one\n/u);
  const row = z.object({ state: z.string() });
  const states = jsonLines(await folder.succeed(['board', '--json', '--hours', '1'])).map(
    (line) => row.parse(line).state,
  );
  assert.deepEqual(states, ['waiting', 'done']);
  assert.equal((await folder.run(['board', '--hours', 'soon'])).code, 2);
});
