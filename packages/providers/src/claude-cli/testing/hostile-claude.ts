// A program that talks as Claude Code does, and misbehaves as each prompt names it. Started by tests as a process.
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { z } from 'zod';

const words = process.argv.slice(2);
if (words[0] === 'auth') {
  console.log('{"loggedIn":true}');
  process.exit();
}
const session = randomUUID();

function print(line: object): void {
  process.stdout.write(`${JSON.stringify({ session_id: session, ...line })}\n`);
}

interface Named {
  uuid?: string;
  id?: string;
  more?: readonly object[];
}

function answer(text: string, { uuid = randomUUID(), id = randomUUID(), more = [] }: Named = {}): void {
  print({ type: 'assistant', uuid, message: { id, model: 'fake', content: [{ type: 'text', text }, ...more] } });
}

function result(): void {
  print({ type: 'result', subtype: 'success', stop_reason: 'end_turn' });
}

function ask(call: string, agent?: string): void {
  const request = {
    subtype: 'can_use_tool',
    tool_name: 'Bash',
    tool_use_id: call,
    input: { command: 'ls' },
    agent_id: agent,
  };
  print({ type: 'control_request', request_id: randomUUID(), request });
}

/** The lines of a harmless turn, each of which a program may die behind. */
const steps: readonly (() => void)[] = [
  () => print({ type: 'system', subtype: 'init', cwd: process.cwd(), model: 'fake', claude_code_version: '2.1.325' }),
  () => print({ type: 'stream_event', api_message_id: 'm', event: { type: 'message_start', message: { id: 'm' } } }),
  () =>
    print({
      type: 'stream_event',
      api_message_id: 'm',
      event: { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    }),
  () =>
    print({
      type: 'stream_event',
      api_message_id: 'm',
      event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half' } },
    }),
  () => answer('Half of it.', { id: 'm', more: [{ type: 'tool_use', id: 'c', name: 'Bash', input: {} }] }),
  () => ask('c'),
];

/** Prints until it is ended, as fast as it is read. */
async function flood(): Promise<void> {
  for (;;) {
    for (let line = 0; line < 100; line += 1) answer('flood '.repeat(100));
    await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
  }
}

let asked = 0;
let isInterrupted = (): void => {};

async function misbehave(text: string): Promise<void> {
  const dies = /^die behind (\d+)$/u.exec(text);
  if (dies !== null) {
    for (const step of steps.slice(0, Number(dies[1]))) step();
    process.stdout.write('', () => process.exit(9));
    return;
  }
  steps[0]?.();
  if (text === 'flood') return flood();
  switch (text) {
    case 'endless line':
      for (let piece = 0; piece < 17; piece += 1) process.stdout.write('x'.repeat(1024 * 1024));
      process.stdout.write('\n');
      break;
    case 'repeat': {
      const same = { uuid: randomUUID(), id: 'same' };
      answer('Said once.', same);
      answer('Said once.', same);
      answer('Said with its name.', same);
      answer('Said in the same message.', { id: 'same' });
      break;
    }
    case 'lie':
      print({
        type: 'user',
        uuid: randomUUID(),
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'never called', content: 'x' }] },
      });
      print({
        type: 'user',
        uuid: randomUUID(),
        parent_tool_use_id: 'nobody',
        agent_id: 'a',
        message: { role: 'user', content: 'x' },
      });
      print({ type: 'control_response', response: { subtype: 'success', request_id: 'unknown', response: {} } });
      print({ type: 'command_lifecycle', command_uuid: 'unknown', state: 'started' });
      print({ type: 'system', subtype: 'task_notification', task_id: 'unknown', status: 'completed', summary: 'x' });
      process.stdout.write('{"type":"assistant","message":null}\n[]\n"text"\n{"type":\n\0\0\n');
      break;
    case 'ask for nobody':
      ask('never called', 'an unknown agent');
      ask('never called');
      break;
    case 'ask twice':
      answer('Asking.', { more: [{ type: 'tool_use', id: 'twice', name: 'Bash', input: { command: 'ls' } }] });
      ask('twice');
      ask('twice');
      await new Promise<void>((resolve) => {
        isAnswered = () => (asked += 1) === 2 && resolve();
      });
      break;
    case 'speak behind the stop':
      answer('Before the stop.');
      await new Promise<void>((resolve) => (isInterrupted = resolve));
      answer('Behind the stop.');
      print({ type: 'result', subtype: 'error_during_execution', is_error: true });
      answer('Behind the end.');
      return;
  }
  answer(`It was: ${text}.`);
  result();
}

let isAnswered = (): unknown => undefined;
const input = z.looseObject({
  type: z.string(),
  request_id: z.string().optional(),
  message: z.object({ content: z.array(z.object({ text: z.string() })) }).optional(),
});

createInterface({ input: process.stdin })
  .on('line', (text) => {
    const { type, request_id, message } = input.parse(JSON.parse(text));
    if (type === 'control_response') isAnswered();
    if (type === 'control_request') {
      isInterrupted();
      print({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } });
    }
    if (type === 'user' && message !== undefined) void misbehave(message.content.at(-1)?.text ?? '');
  })
  .on('close', () => process.exit());
