// A program that talks as Claude Code does: it plays a script by the words of each prompt. Started by tests as a process.
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';

const [log = '', ...words] = process.argv.slice(2);
const session = valueOf('--session-id') ?? valueOf('--resume') ?? randomUUID();
appendFileSync(log, `${JSON.stringify(words)}\n`);
if (words[0] === 'auth') {
  console.log(JSON.stringify({ loggedIn: process.env['LOGGED_IN'] !== 'no' }));
  process.exit();
}

interface Said {
  behavior?: string | undefined;
  message?: string | undefined;
  updatedPermissions?: readonly { type: string; mode?: string | undefined }[] | undefined;
}

function valueOf(option: string): string | undefined {
  return words.includes(option) ? words[words.indexOf(option) + 1] : undefined;
}

const waiting = new Map<string, (response: Said) => void>();
const queued: { uuid: string; text: string }[] = [];
let isInterrupted = (): void => {};
let isWorking = false;
let mode = valueOf('--permission-mode') ?? 'default';

function print(line: object): void {
  process.stdout.write(`${JSON.stringify({ session_id: session, ...line })}\n`);
}

function answer(text: string, id: string, content: object[] = [{ type: 'text', text }]): void {
  const event = (inner: object): void => print({ type: 'stream_event', api_message_id: id, event: inner });
  event({ type: 'message_start', message: { id } });
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  for (const piece of text.match(/.{1,4}/g) ?? [])
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } });
  for (const [index, block] of content.entries()) {
    print({ type: 'assistant', uuid: randomUUID(), message: { id, model: 'fake', content: [block] } });
    event({ type: 'content_block_stop', index });
  }
  event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { input_tokens: 3, output_tokens: 5 } });
  event({ type: 'message_stop' });
}

const sender = 'toolu_agent';
const agent = 'a1234567890abcdef';

/** Sends out a sub-agent, which goes on in the background. It has begun a call when the turn ends. */
function sendOut(): void {
  const call = { type: 'tool_use', id: sender, name: 'Agent', input: { description: 'Look', prompt: 'Look around.' } };
  print({ type: 'assistant', uuid: randomUUID(), message: { id: 'm-agent', model: 'fake', content: [call] } });
  print({ type: 'system', subtype: 'task_started', task_id: agent, tool_use_id: sender, task_type: 'local_agent' });
  print({ type: 'system', subtype: 'background_tasks_changed', tasks: [{}] });
  const result = { type: 'tool_result', tool_use_id: sender, content: 'Sent out.' };
  const native = { status: 'async_launched', isAsync: true, agentId: agent };
  print({ type: 'user', uuid: randomUUID(), message: { role: 'user', content: [result] }, tool_use_result: native });
  saysAsAgent('user', [{ type: 'text', text: 'Look around.' }]);
  saysAsAgent('assistant', [{ type: 'tool_use', id: 'toolu_ls', name: 'Bash', input: { command: 'ls' } }]);
}

function saysAsAgent(type: 'user' | 'assistant', content: object[]): void {
  const message = { id: randomUUID(), role: type, ...(type === 'user' ? {} : { model: 'fake' }), content };
  print({ type, uuid: randomUUID(), parent_tool_use_id: sender, agent_id: agent, message });
}

/** Lets the sub-agent go on when the turn is over: with a result, a call that needs a permission, and its last words. */
async function goOn(how: string): Promise<void> {
  saysAsAgent('user', [{ type: 'tool_result', tool_use_id: 'toolu_ls', content: 'late.txt' }]);
  // Behind what was printed: a pipe is written later.
  if (how.includes('and die')) return void process.stdout.write('', () => process.exit(4));
  const call = { type: 'tool_use', id: 'toolu_rm', name: 'Bash', input: { command: 'rm late.txt' } };
  saysAsAgent('assistant', [{ type: 'text', text: 'I found something.' }, call]);
  const id = randomUUID();
  const request = {
    subtype: 'can_use_tool',
    tool_name: 'Bash',
    tool_use_id: call.id,
    input: call.input,
    agent_id: agent,
  };
  print({ type: 'control_request', request_id: id, request });
  const said = await new Promise<Said>((resolve) => waiting.set(id, resolve));
  appendFileSync(log, `${JSON.stringify({ late: said.behavior })}\n`);
  saysAsAgent('user', [{ type: 'tool_result', tool_use_id: call.id, content: said.message ?? 'Removed.' }]);
  saysAsAgent('assistant', [{ type: 'text', text: 'These are my last words.' }]);
  print({
    type: 'system',
    subtype: 'task_notification',
    task_id: agent,
    status: 'completed',
    summary: 'It looked around.',
  });
  print({ type: 'system', subtype: 'background_tasks_changed', tasks: [] });
  void take({ uuid: randomUUID(), text: 'a task' });
}

/** Says that it has read a lot: 100,000 tokens, of a model that has a price. A command that it runs goes on. */
function spend(): void {
  const call = { type: 'tool_use', id: 'toolu_spend', name: 'Bash', input: { command: 'npm run everything' } };
  const id = 'm-spend';
  const event = (inner: object): void => print({ type: 'stream_event', api_message_id: id, event: inner });
  event({ type: 'message_start', message: { id } });
  const message = { id, model: 'claude-sonnet-4-5', content: [call] };
  print({ type: 'assistant', uuid: randomUUID(), message });
  const usage = { input_tokens: 100_000, output_tokens: 10 };
  event({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage });
  event({ type: 'message_stop' });
}

/** Asks about a call, and returns the decision; a mode that comes with it holds from then on. */
async function askAbout(name: string, input: object, suggestions: object[] = []): Promise<Said> {
  const call = { type: 'tool_use', id: `call-${randomUUID()}`, name, input };
  answer('Asking', `m-${randomUUID()}`, [{ type: 'text', text: 'Asking' }, call]);
  const id = randomUUID();
  const about = { tool_name: name, tool_use_id: call.id, input, permission_suggestions: suggestions };
  print({ type: 'control_request', request_id: id, request: { subtype: 'can_use_tool', ...about } });
  const said = await new Promise<Said>((resolve) => waiting.set(id, resolve));
  appendFileSync(log, `${JSON.stringify(said)}\n`);
  const chosen = said.updatedPermissions?.find(({ type }) => type === 'setMode')?.mode;
  mode = chosen ?? (name === 'ExitPlanMode' && said.behavior === 'allow' ? 'default' : mode);
  if (chosen !== undefined) print({ type: 'system', subtype: 'status', status: null, permissionMode: mode });
  const content = said.behavior === 'deny' ? said.message : 'Done.';
  const result = { type: 'tool_result', tool_use_id: call.id, content, is_error: said.behavior === 'deny' };
  print({ type: 'user', uuid: randomUUID(), message: { role: 'user', content: [result] } });
  return said;
}

async function take({ uuid, text }: { uuid: string; text: string }): Promise<void> {
  isWorking = true;
  const state = (name: string, of = uuid): void => print({ type: 'command_lifecycle', command_uuid: of, state: name });
  state('started');
  print({
    type: 'system',
    subtype: 'init',
    cwd: process.cwd(),
    model: 'fake',
    permissionMode: mode,
    claude_code_version: '2.1.325',
  });
  if (text === 'die') process.exit(3);
  if (text === 'spend') spend();
  if (text === 'hang' || text === 'spend') {
    await new Promise<void>((resolve) => (isInterrupted = resolve));
    print({
      type: 'user',
      uuid: randomUUID(),
      message: { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] },
    });
    print({ type: 'result', subtype: 'error_during_execution', is_error: true });
  } else if (text === 'deaf') {
    process.on('SIGTERM', () => {});
    return;
  } else {
    if (text.startsWith('send out')) sendOut();
    if (text === 'plan it') await askAbout('ExitPlanMode', { plan: '1. Look\n2. Write' });
    if (text === 'edit it') {
      const [accept, all] = ['acceptEdits', 'bypassPermissions'].map((name) => ({
        type: 'setMode',
        mode: name,
        destination: 'session',
      }));
      await askAbout('Edit', { file_path: 'a', old_string: 'b', new_string: 'c' }, [accept ?? {}, all ?? {}]);
    }
    if (text === 'ask') {
      const call = { type: 'tool_use', id: `call-${uuid}`, name: 'Bash', input: { command: 'ls' } };
      answer('Asking', `m-${uuid}`, [{ type: 'text', text: 'Asking' }, call]);
      const id = randomUUID();
      const suggestion = { type: 'addRules', rules: [{ toolName: 'Bash', ruleContent: 'ls' }], behavior: 'allow' };
      print({
        type: 'control_request',
        request_id: id,
        request: {
          subtype: 'can_use_tool',
          tool_name: 'Bash',
          tool_use_id: call.id,
          input: call.input,
          permission_suggestions: [suggestion],
        },
      });
      const said = await new Promise<Said>((resolve) => waiting.set(id, resolve));
      appendFileSync(log, `${JSON.stringify(said)}\n`);
      const isDenied = said.behavior === 'deny';
      const content = isDenied ? said.message : 'a.txt';
      const meta = isDenied ? [{ id: call.id, non_execution_kind: 'permission-rule' }] : [];
      print({
        type: 'user',
        uuid: randomUUID(),
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: call.id, content, is_error: isDenied }],
        },
        tool_result_meta: meta,
      });
      for (const steered of queued.splice(0)) state('started', steered.uuid);
    }
    answer(`You said ${text}.`, `n-${uuid}`);
    print({
      type: 'result',
      subtype: 'success',
      stop_reason: 'end_turn',
      model_usage_since_last_result: { fake: { inputTokens: 3, outputTokens: 9, costUSD: 0.25 } },
    });
  }
  state('completed');
  isWorking = false;
  if (text.startsWith('send out')) setTimeout(() => void goOn(text), 5);
  if (text === 'background at once') await take({ uuid: randomUUID(), text: 'a task' });
  if (text === 'background') setTimeout(() => void take({ uuid: randomUUID(), text: 'a task' }), 5);
  const next = queued.shift();
  if (next !== undefined) await take(next);
}

const input = z.looseObject({
  type: z.string(),
  uuid: z.string().optional(),
  request_id: z.string().optional(),
  message: z.object({ content: z.array(z.object({ text: z.string() })) }).optional(),
  response: z
    .object({
      request_id: z.string(),
      response: z
        .object({
          behavior: z.string().optional(),
          message: z.string().optional(),
          updatedPermissions: z.array(z.looseObject({ type: z.string(), mode: z.string().optional() })).optional(),
        })
        .loose(),
    })
    .optional(),
});

function hear(text: string): void {
  const { type, uuid = '', request_id, message, response } = input.parse(JSON.parse(text));
  if (response !== undefined) waiting.get(response.request_id)?.(response.response);
  if (type === 'control_request') {
    isInterrupted();
    const offered = {
      claude_code_version: '9.0.0',
      models: [{ value: 'opus', description: 'big' }],
      commands: [{ name: 'review', description: 'Review the changes' }],
    };
    print({ type: 'control_response', response: { subtype: 'success', request_id, response: offered } });
  }
  if (type !== 'user' || message === undefined) return;
  print({ type: 'command_lifecycle', command_uuid: uuid, state: 'queued' });
  const said = { uuid, text: message.content.at(-1)?.text ?? '' };
  if (isWorking) {
    queued.push(said);
    appendFileSync(log, `${JSON.stringify({ queued: said.text })}\n`);
  } else void take(said);
}

createInterface({ input: process.stdin })
  .on('line', hear)
  .on('close', () => process.exit());
