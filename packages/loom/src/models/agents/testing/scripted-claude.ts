// A program that talks as Claude Code does and keeps its session, until it is killed. Started by tests as a process.
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

const words = process.argv.slice(2);
if (words[0] === 'auth') {
  console.log('{"loggedIn":true}');
  process.exit();
}
const valueOf = (option: string): string | undefined =>
  words.includes(option) ? words[words.indexOf(option) + 1] : undefined;
const session = valueOf('--session-id') ?? valueOf('--resume') ?? randomUUID();
const folder = join(process.env['HOME'] ?? '', '.claude', 'projects', process.cwd().replaceAll(/[^A-Za-z0-9]/g, '-'));
const file = join(folder, `${session}.jsonl`);
mkdirSync(dirname(file), { recursive: true });
let last: string | null = null;

/** Writes a line of the session, and prints it unless it is the person's own. */
function keep(type: 'user' | 'assistant', uuid: string, message: object): void {
  const timestamp = new Date().toISOString();
  const line = { type, uuid, message, timestamp };
  const place = { parentUuid: last, isSidechain: false, userType: 'external', cwd: process.cwd(), version: '2.1.325' };
  appendFileSync(file, `${JSON.stringify({ ...place, ...line, sessionId: session })}\n`);
  last = uuid;
  if (type === 'assistant') print({ ...line, parent_tool_use_id: null });
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify({ session_id: session, ...line })}\n`);
}

function answer(...content: object[]): void {
  const id = `msg_${randomUUID()}`;
  const usage = { input_tokens: 3, output_tokens: 5 };
  for (const block of content)
    keep('assistant', randomUUID(), { id, role: 'assistant', type: 'message', model: 'fake', content: [block], usage });
}

function take(uuid: string, text: string): void {
  keep('user', uuid, { role: 'user', content: [{ type: 'text', text }] });
  print({ type: 'system', subtype: 'init', cwd: process.cwd(), model: 'fake', claude_code_version: '2.1.325' });
  if (text === 'first') {
    answer({ type: 'text', text: 'The first answer.' });
    print({ type: 'result', subtype: 'success', stop_reason: 'end_turn' });
    process.stdout.write('', () => process.exit());
  } else if (text === 'ask') {
    const call = { type: 'tool_use', id: `toolu_${uuid}`, name: 'Bash', input: { command: 'ls' } };
    answer({ type: 'text', text: 'Asking.' }, call);
    const request = { subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id: call.id, input: call.input };
    print({ type: 'control_request', request_id: randomUUID(), request });
  } else answer({ type: 'text', text: `Half of ${text}.` });
}

const input = z.looseObject({
  type: z.string(),
  uuid: z.string().optional(),
  message: z.object({ content: z.array(z.object({ text: z.string() })) }).optional(),
});

createInterface({ input: process.stdin }).on('line', (text) => {
  const { type, uuid, message } = input.parse(JSON.parse(text));
  if (type === 'user' && uuid !== undefined) take(uuid, message?.content.at(-1)?.text ?? '');
});
