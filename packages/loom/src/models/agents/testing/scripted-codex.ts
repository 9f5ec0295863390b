// A program that talks as Codex does and keeps its sessions, until it is killed; with `old` as its first word it has no app-server. Started by
// tests as a process.
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

const given = process.argv.slice(2);
const isOld = given[0] === 'old';
const words = isOld ? given.slice(1) : given;
const home = join(process.env['HOME'] ?? '', '.codex');
const sessions = join(home, 'sessions');
let ordinal = 0;

function pathOf(thread: string): string {
  const names = existsSync(sessions) ? readdirSync(sessions, { recursive: true, encoding: 'utf8' }) : [];
  const found = names.find((name) => name.endsWith('.jsonl') && name.includes(thread));
  return join(sessions, found ?? `2026/11/19/rollout-2026-11-19T00-00-00-${thread}.jsonl`);
}

function keep(thread: string, type: string, payload: object): void {
  const path = pathOf(thread);
  mkdirSync(dirname(path), { recursive: true });
  const line = { timestamp: new Date().toISOString(), ordinal: (ordinal += 1), type, payload };
  appendFileSync(path, `${JSON.stringify(line)}\n`);
}

function print(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** The first line of a session that it begins itself. */
function begin(thread: string): void {
  if (existsSync(pathOf(thread))) return;
  const facts = { originator: 'scripted', cli_version: '0.166.0', source: 'cli', history_mode: 'paginated' };
  keep(thread, 'session_meta', { id: thread, timestamp: new Date().toISOString(), cwd: process.cwd(), ...facts });
}

function say(thread: string, text: string): string {
  const id = `msg_${randomUUID()}`;
  keep(thread, 'response_item', { type: 'message', id, role: 'assistant', content: [{ type: 'output_text', text }] });
  return id;
}

/** Writes a turn up to the point where it is killed; one that is called `first` ends, and the program with it. */
function take(thread: string, turn: string, text: string, notice: (method: string, params: object) => void): void {
  keep(thread, 'event_msg', { type: 'task_started', turn_id: turn });
  const content = [{ type: 'input_text', text }];
  keep(thread, 'response_item', { type: 'message', id: `msg_${randomUUID()}`, role: 'user', content });
  if (text === 'first') {
    const id = say(thread, 'The first answer.');
    notice('item/agentMessage/delta', { itemId: id, delta: 'The first answer.' });
    keep(thread, 'event_msg', { type: 'task_complete', turn_id: turn });
    notice('turn/completed', { turn: { id: turn, status: 'completed', error: null } });
    process.stdout.write('', () => process.exit());
    return;
  }
  if (text !== 'ask') {
    const id = say(thread, `Half of ${text}.`);
    notice('item/agentMessage/delta', { itemId: id, delta: `Half of ${text}.` });
    return;
  }
  const call = `call_${randomUUID()}`;
  const parameters = JSON.stringify({ cmd: 'sleep 9' });
  const made = { type: 'function_call', id: `fc_${call}`, name: 'exec_command', arguments: parameters, call_id: call };
  keep(thread, 'response_item', made);
  notice('item/commandExecution/requestApproval', { itemId: call, command: 'sleep 9' });
}

function serve(): void {
  const input = z.looseObject({
    id: z.number().optional(),
    method: z.string().optional(),
    params: z
      .looseObject({
        threadId: z.string().optional(),
        input: z.array(z.looseObject({ text: z.string().optional() })).optional(),
      })
      .optional(),
  });
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      const { id, method, params = {} } = input.parse(JSON.parse(line));
      if (id === undefined || method === undefined) return;
      const thread = params.threadId ?? randomUUID();
      const turn = `turn-${randomUUID()}`;
      print({ id, result: answerOf(method, thread, turn) });
      if (method !== 'turn/start') return;
      begin(thread);
      const text = params.input?.map((part) => part.text ?? '').join('\n') ?? '';
      take(thread, turn, text, (name, more) => {
        const message = { method: name, params: { threadId: thread, turnId: turn, ...more } };
        print(name.endsWith('requestApproval') ? { id: 1_000, ...message } : message);
      });
    })
    .on('close', () => process.exit());
}

function answerOf(method: string, thread: string, turn: string): object {
  const opened = { thread: { id: thread, path: pathOf(thread) } };
  const answers: Readonly<Record<string, object>> = {
    initialize: { codexHome: home },
    'account/read': { account: { type: 'apiKey' }, requiresOpenaiAuth: true },
    'turn/start': { turn: { id: turn } },
    'thread/turns/list': { data: [{ id: lastTurnOf(thread) }] },
  };
  return answers[method] ?? opened;
}

function lastTurnOf(thread: string): string {
  const text = existsSync(pathOf(thread)) ? readFileSync(pathOf(thread), 'utf8') : '';
  return text.match(/(?<="task_complete","turn_id":")[^"]+/gu)?.at(-1) ?? '';
}

/** `codex exec --json`: the session is there before its name is printed. */
async function execute(): Promise<void> {
  let prompt = '';
  for await (const piece of process.stdin.setEncoding('utf8')) prompt += String(piece);
  const thread = words.includes('resume') ? (words.at(-2) ?? '') : randomUUID();
  const turn = `turn-${randomUUID()}`;
  begin(thread);
  let isAnnounced = false;
  const announce = (): void => {
    if (isAnnounced) return;
    isAnnounced = true;
    print({ type: 'thread.started', thread_id: thread });
    print({ type: 'turn.started' });
  };
  take(thread, turn, prompt, (method) => {
    announce();
    if (method === 'turn/completed') print({ type: 'turn.completed', usage: {} });
  });
  setInterval(() => {}, 60_000);
}

if (words[0] === '--version') console.log('codex-cli 0.166.0');
else if (words[0] === 'app-server' && !isOld) serve();
else if (words[0] === 'exec') await execute();
else process.exitCode = 2;
