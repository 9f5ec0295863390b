// A program that talks as Codex does, and misbehaves as each prompt names it; with `old` as its first word it has no app-server. Started by tests as
// a process.
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

const given = process.argv.slice(2);
const isOld = given[0] === 'old';
const words = isOld ? given.slice(1) : given;
const home = join(process.env['HOME'] ?? '', '.codex');
const sessions = join(home, 'sessions');
const turn = `turn-${randomUUID()}`;

function pathOf(thread: string): string {
  const names = existsSync(sessions) ? readdirSync(sessions, { recursive: true, encoding: 'utf8' }) : [];
  const found = names.find((name) => name.endsWith('.jsonl') && name.includes(thread));
  return join(sessions, found ?? `rollout-2026-11-19T00-00-00-${thread}.jsonl`);
}

function write(thread: string, text: string): void {
  mkdirSync(dirname(pathOf(thread)), { recursive: true });
  appendFileSync(pathOf(thread), text);
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** A turn as the program sees it. */
interface Turn {
  readonly thread: string;
  notice(method: string, params: object): void;
  /** Asks, and resolves with the answer. */
  ask(call: string, command: string, reason?: string): Promise<unknown>;
  end(): void;
}

function keep({ thread }: Turn, type: string, payload: object): void {
  write(thread, `${JSON.stringify({ timestamp: '2026-11-19T00:00:00.000Z', type, payload })}\n`);
}

function item(turn: Turn, payload: object): void {
  keep(turn, 'response_item', payload);
}

function say(turn: Turn, text: string, id = `msg_${randomUUID()}`): void {
  turn.notice('item/agentMessage/delta', { itemId: id, delta: text.slice(0, 4) });
  item(turn, { type: 'message', id, role: 'assistant', content: [{ type: 'output_text', text }] });
}

function call(turn: Turn, id: string): void {
  const parameters = JSON.stringify({ cmd: 'ls' });
  item(turn, { type: 'function_call', id: `fc_${id}`, name: 'exec_command', arguments: parameters, call_id: id });
}

function result(turn: Turn, id: string, output: string): void {
  item(turn, { type: 'function_call_output', id: `fco_${id}`, call_id: id, output });
}

/** The steps of a harmless turn, each of which the program may die behind. */
const steps: readonly ((turn: Turn) => void)[] = [
  (turn) => turn.notice('item/agentMessage/delta', { itemId: 'half', delta: 'Half' }),
  (turn) =>
    item(turn, {
      type: 'message',
      id: 'half',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Half of it.' }],
    }),
  (turn) => call(turn, 'c'),
  (turn) => void turn.ask('c', 'ls'),
  (turn) => write(turn.thread, '{"timestamp":"2026-11-19T00:00:00.000Z","type":"response_item","payl'),
];

/** Prints until it is ended, as fast as it is read. */
async function flood(turn: Turn): Promise<void> {
  for (;;) {
    for (let line = 0; line < 100; line += 1)
      turn.notice('item/agentMessage/delta', { itemId: 'flood', delta: 'flood '.repeat(100) });
    await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
  }
}

let isInterrupted = (): void => {};

async function misbehave(turn: Turn, text: string): Promise<void> {
  const dies = /^die behind (\d+)$/u.exec(text);
  if (dies !== null) {
    for (const step of steps.slice(0, Number(dies[1]))) step(turn);
    process.stdout.write('', () => process.exit(9));
    return;
  }
  switch (text) {
    case 'flood':
      return flood(turn);
    case 'hang':
      return;
    case 'endless line':
      for (let piece = 0; piece < 17; piece += 1) process.stdout.write('x'.repeat(1024 * 1024));
      process.stdout.write('\n');
      break;
    case 'repeat':
      say(turn, 'Said once.', 'same');
      for (const delta of ['Said', ' once.', 'Said once.'])
        turn.notice('item/agentMessage/delta', { itemId: 'same', delta });
      for (let time = 0; time < 2; time += 1) {
        const item = { id: 'same', type: 'agentMessage', text: 'Said once.' };
        turn.notice('item/started', { item });
        turn.notice('item/completed', { item });
        print({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'Said once.' } });
        print({ type: 'turn.started' });
      }
      call(turn, 'once');
      result(turn, 'once', 'Printed once.');
      turn.notice('item/commandExecution/outputDelta', { itemId: 'once', delta: 'Printed once.' });
      break;
    case 'lie':
      result(turn, 'never called', 'x');
      turn.notice('item/commandExecution/outputDelta', { itemId: 'never called', delta: 'x' });
      turn.notice('turn/completed', { turn: { id: 'another turn', status: 'failed' } });
      turn.notice('item/completed', { item: null });
      turn.notice('item/agentMessage/delta', { threadId: 'another thread', itemId: 'x', delta: 'Never said.' });
      print({ id: 4_711, result: {} });
      print({ id: 'nobody', error: { message: 'No.' } });
      print({ method: 'turn/completed', params: null });
      process.stdout.write('{"method":7}\n[]\n"text"\n{"method":\n\0\0\n');
      keep(turn, 'compacted', { message: 7 });
      keep(turn, 'response_item', { type: 'message', id: null, role: 'nobody', content: 'x' });
      write(turn.thread, '[]\nnull\n{"type":\n\0\0\n');
      break;
    case 'ask for nobody':
      await Promise.all([turn.ask('never called', 'rm -rf /'), turn.ask('', 'rm -rf /')]);
      break;
    case 'ask twice': {
      call(turn, 'twice');
      const answers = await Promise.all([turn.ask('twice', 'ls'), turn.ask('twice', 'ls')]);
      answers.push(await turn.ask('twice', 'rm -rf /'), await turn.ask('twice', 'ls', 'outside of the sandbox'));
      result(turn, 'twice', 'listed');
      say(turn, `Answers: ${JSON.stringify(answers)}`);
      break;
    }
    case 'speak behind the stop':
      say(turn, 'Before the stop.');
      await new Promise<void>((resolve) => (isInterrupted = resolve));
      say(turn, 'Behind the stop.');
      turn.end();
      say(turn, 'Behind the end.');
      return;
  }
  say(turn, `It was: ${text}.`);
  turn.end();
}

const input = z.looseObject({
  id: z.union([z.number(), z.string()]).optional(),
  method: z.string().optional(),
  result: z.unknown().optional(),
  params: z
    .looseObject({ threadId: z.string().optional(), input: z.array(z.looseObject({ text: z.string() })).optional() })
    .optional(),
});

function serve(): void {
  const waiting = new Map<unknown, (answer: unknown) => void>();
  let questions = 0;
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      const { id, method, params = {}, result: answer } = input.parse(JSON.parse(line));
      if (method === undefined) waiting.get(id)?.(answer);
      if (method === undefined || id === undefined) return;
      const thread = params.threadId ?? randomUUID();
      const opened = { thread: { id: thread, path: pathOf(thread) } };
      const answers: Readonly<Record<string, object>> = {
        initialize: { codexHome: home },
        'account/read': { account: { type: 'apiKey' } },
        'turn/start': { turn: { id: turn } },
        'thread/turns/list': { data: [] },
      };
      print({ id, result: answers[method] ?? opened });
      if (method === 'turn/interrupt') isInterrupted();
      if (method !== 'turn/start') return;
      const notice = (name: string, more: object): void =>
        print({ method: name, params: { threadId: thread, turnId: turn, ...more } });
      void misbehave(
        {
          thread,
          notice,
          ask(itemId, command, reason) {
            const question = `q${(questions += 1)}`;
            const name = 'item/commandExecution/requestApproval';
            print({ id: question, method: name, params: { threadId: thread, turnId: turn, itemId, command, reason } });
            return new Promise((resolve) => waiting.set(question, resolve));
          },
          end() {
            keep(this, 'event_msg', { type: 'task_complete', turn_id: turn });
            notice('turn/completed', { turn: { id: turn, status: 'completed' } });
          },
        },
        params.input?.at(-1)?.text ?? '',
      );
    })
    .on('close', () => process.exit());
}

async function execute(): Promise<void> {
  let prompt = '';
  for await (const piece of process.stdin.setEncoding('utf8')) prompt += String(piece);
  const thread = words.includes('resume') ? (words.at(-2) ?? '') : randomUUID();
  if (prompt === 'silent') return;
  print({ type: 'thread.started', thread_id: thread });
  print({ type: 'turn.started' });
  const message = { type: 'agent_message', text: 'flood '.repeat(100) };
  await misbehave(
    {
      thread,
      // Words do not grow here; a flood is one of whole messages.
      notice: (_method, params) =>
        'itemId' in params &&
        params.itemId === 'flood' &&
        print({ type: 'item.completed', item: { id: randomUUID(), ...message } }),
      ask: () => Promise.resolve(undefined),
      end() {
        keep(this, 'event_msg', { type: 'task_complete', turn_id: turn });
        print({ type: 'turn.completed', usage: {} });
      },
    },
    prompt.split('\n').at(-1) ?? '',
  );
  setInterval(() => {}, 60_000);
}

if (words[0] === '--version') console.log('codex-cli 0.166.0');
else if (words[0] === 'app-server' && !isOld) serve();
else if (words[0] === 'exec') await execute();
else process.exitCode = 2;
