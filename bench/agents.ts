// The cost of listening to an agent: the CPU of 100,000 streamed lines of Claude Code through a turn into a SQLite store beside that of a bare
// JSON.parse of the same lines, the memory of 50 turns in one process, and the first word of a warm turn beside that of the first one. With the
// path of a Claude Code (`bench/agents.ts <program>`) and a login the last is measured with the real program, else with one that starts slowly.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LoomEngine } from '@loom/kernel';
import type { ProcessEnd, ProcessOutput, ProcessPort, Provider } from '@loom/kernel';
import { createClaudeProvider } from '@loom/providers/claude-cli';
import { createProcessPort } from '@loom/loom/processes';
import { openSqliteStore } from '@loom/stores/sqlite';
import { machineClock, median, printHeader, printRatio } from './measure.ts';

const lineCount = 100_000;
const deltasPerMessage = 500;
const rounds = 5;
const turns = 50;

/** A program that takes half a second to start, as the real one does at best. */
const slowStarter = `
const lines = require('node:readline').createInterface({ input: process.stdin });
if (process.argv.includes('auth')) { console.log('{"loggedIn":true}'); process.exit(); }
const until = Date.now() + 500; while (Date.now() < until);
const print = (line) => console.log(JSON.stringify({ session_id: 's', ...line }));
lines.on('line', (text) => {
  if (!text.includes('"type":"user"')) return;
  const id = require('node:crypto').randomUUID();
  print({ type: 'system', subtype: 'init', cwd: process.cwd(), model: 'm' });
  print({ type: 'assistant', uuid: id, message: { id, model: 'm', content: [{ type: 'text', text: 'Word.' }] } });
  print({ type: 'result', subtype: 'success' });
}).on('close', () => process.exit());
`;

printHeader('agents');
const folder = mkdtempSync(join(tmpdir(), 'loom-bench-'));
try {
  await measureLines();
  await measureMemory();
  await measureWarmth();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The lines of one turn: partial messages, each with the line that holds it whole. */
function linesOfTurn(count: number): string[] {
  const session = randomUUID();
  const lines: string[] = [];
  const print = (line: object): void => void lines.push(JSON.stringify({ session_id: session, ...line }));
  print({ type: 'system', subtype: 'init', cwd: folder, model: 'm', claude_code_version: '2.1.325' });
  const words = ['the ', 'quick ', 'brown ', 'fox ', 'jumps\n', 'over '];
  for (let message = 0; lines.length < count; message += 1) {
    const id = `msg_${session}_${message}`;
    const event = (inner: object): void =>
      print({ type: 'stream_event', uuid: randomUUID(), parent_tool_use_id: null, api_message_id: id, event: inner });
    event({ type: 'message_start', message: { id, model: 'm', usage: { input_tokens: 1, output_tokens: 1 } } });
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    let text = '';
    for (let at = 0; at < deltasPerMessage && lines.length < count - 5; at += 1) {
      const piece = words[at % words.length] ?? '';
      text += piece;
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } });
    }
    const content = [{ type: 'text', text: text === '' ? '.' : text }];
    print({ type: 'assistant', uuid: randomUUID(), message: { id, model: 'm', content } });
    event({ type: 'content_block_stop', index: 0 });
    event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } });
    event({ type: 'message_stop' });
  }
  print({ type: 'result', subtype: 'success', stop_reason: 'end_turn' });
  return lines;
}

function bytesOf(lines: readonly string[]): Buffer {
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** A machine whose programs print this for every message, 64 KB at a time. */
function printing(answer: () => Buffer): Pick<ProcessPort, 'spawn'> {
  return {
    async spawn({ command }) {
      const ended = Promise.withResolvers<ProcessEnd>();
      const waiting: Buffer[] = command.includes('auth') ? [Buffer.from('{"loggedIn":true}\n')] : [];
      let wake = (): void => {};
      let isOver = command.includes('auth');
      if (isOver) ended.resolve({ reason: 'exited', code: 0 });
      async function* output(): AsyncGenerator<ProcessOutput> {
        for (;;) {
          const bytes = waiting.shift();
          if (bytes !== undefined) {
            for (let at = 0; at < bytes.length; at += 65_536)
              yield { stream: 'stdout', bytes: bytes.subarray(at, at + 65_536) };
          } else if (isOver) return;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      }
      const process = {
        pid: 1,
        printed: 0,
        dropped: 0,
        ended: ended.promise,
        output: output(),
        async write(bytes: Uint8Array) {
          if (Buffer.from(bytes).includes('"type":"user"')) waiting.push(answer());
          wake();
        },
        endInput() {},
        stop() {
          isOver = true;
          wake();
          ended.resolve({ reason: 'stopped' });
          return ended.promise;
        },
      };
      return { ok: true, process };
    },
  };
}

function claudeOver(processes: Pick<ProcessPort, 'spawn'>, command = ['claude']): Provider {
  const environment = { HOME: folder, PATH: process.env['PATH'] ?? '' };
  const program = { command, environment, processes, clock: machineClock };
  return createClaudeProvider({ program, directory: folder });
}

/** A conversation with an agent, over a store on disk. */
async function open(name: string, provider: Provider) {
  const store = await openSqliteStore({ directory: join(folder, name) });
  let count = 0;
  const next = (): string => String((count += 1)).padStart(8, '0');
  const engine = new LoomEngine({
    store,
    clock: machineClock,
    ids: { next },
    hash: { hex: (text) => Buffer.from(text).toString('hex').slice(-64) },
    providers: [provider],
    tools: [],
    holder: 'bench',
  });
  const request = () => ({ agent: 'person', id: next() });
  const created = await engine.forest.createRoot(request(), { directory: folder });
  if (!created.ok) throw new Error('no conversation');
  const { root } = created.value;
  const leaf = async (): Promise<string> => (await engine.forest.log(root).state()).recentLeaves(1)[0]?.id ?? root;
  /** Runs a turn; returns the milliseconds until its first word. */
  const say = async (): Promise<number> => {
    const content: [{ type: 'text'; text: string }] = [{ type: 'text', text: 'Go.' }];
    const parent = await leaf();
    const said = await engine.forest.append(request(), root, { parent, messages: [{ role: 'user', content }] });
    if (!said.ok) throw new Error('not said');
    const begun = performance.now();
    const node = said.value.nodes[0] ?? '';
    const started = await engine.turns.generate(request(), root, { node, provider: 'claude', model: 'm' });
    if (!started.ok) throw new Error('no turn');
    const turn = started.value.turns[0] ?? '';
    let first: number | undefined;
    while (first === undefined) {
      const state = await engine.forest.log(root).state();
      const hasWord = (state.children.get(node) ?? []).some((id) => (state.nodes.get(id)?.blocks.length ?? 0) > 0);
      if (hasWord) first = performance.now() - begun;
      else await new Promise((resolve) => setImmediate(resolve));
    }
    const ended = await engine.turns.wait(turn);
    if (ended !== 'done') throw new Error(`the turn ended as ${ended}`);
    return first;
  };
  const close = async (): Promise<void> => {
    await engine.close();
    await store.close();
  };
  return { say, close };
}

async function measureLines(): Promise<void> {
  const lines = linesOfTurn(lineCount);
  // Made before the measurement: it is the program's work to print.
  const bytes = bytesOf(lines);
  const few = bytesOf(linesOfTurn(lineCount / 10));
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    let isWarm = false;
    const { say, close } = await open(`lines-${round}`, claudeOver(printing(() => (isWarm ? bytes : few))));
    // A store starts its thread with the first writes.
    await say();
    isWarm = true;
    const before = process.cpuUsage();
    await say();
    const used = process.cpuUsage(before);
    await close();
    const start = process.cpuUsage();
    for (const line of lines) JSON.parse(line);
    const parsed = process.cpuUsage(start);
    if (round === 0) continue;
    ours.push((used.user + used.system) / 1_000);
    bare.push((parsed.user + parsed.system) / 1_000);
  }
  printRatio(`CPU of ${lines.length} lines through a turn ÷ bare JSON.parse`, median(ours), median(bare), 8);
}

async function measureMemory(): Promise<void> {
  const { say, close } = await open('memory', claudeOver(printing(() => bytesOf(linesOfTurn(1_000)))));
  const sizes: number[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    await say();
    globalThis.gc?.();
    if (turn % 10 === 0) sizes.push(process.memoryUsage().heapUsed / 1024 / 1024);
  }
  await close();
  const exposed = globalThis.gc === undefined ? ' (with --expose-gc it is exact)' : '';
  console.log(
    `  heap after 10, 20, … ${turns} turns, in MB: ${sizes.map((size) => size.toFixed(1)).join(', ')}${exposed}`,
  );
}

async function measureWarmth(): Promise<void> {
  const [, , real] = process.argv;
  const path = join(folder, 'slow.cjs');
  writeFileSync(path, slowStarter);
  const processes = createProcessPort({ clock: machineClock });
  const [first, second]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const provider = claudeOver(processes, real === undefined ? [process.execPath, path] : [real]);
    const { say, close } = await open(`warm-${round}`, provider);
    first.push(await say());
    second.push(await say());
    await close();
  }
  await processes.close();
  const what = real === undefined ? 'a program that starts in 0.5 s' : real;
  printRatio(`first word of the second turn ÷ of the first, ${what}`, median(second), median(first), 0.3);
}
