import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { VirtualClock } from '@loom/kernel/testing';
import { plainProcesses } from '../testing/plain-processes.ts';
import { agentEnvironment } from './agent-environment.ts';
import { openChannel, runBriefly } from './agent-program.ts';
import type { AgentProgram } from './agent-program.ts';
import { KeptAnswer } from './kept-answer.ts';
import { remarkOnVersion, versionIn } from './tried-versions.ts';
import { WarmPool } from './warm-pool.ts';
import type { WarmProcess } from './warm-pool.ts';

/** A program that runs a script of Node. */
function programOf(t: TestContext, script: string, environment: Record<string, string> = {}): AgentProgram {
  const processes = plainProcesses();
  t.after(() => processes.close());
  return { command: [process.execPath, '-e', script], environment, processes, clock: new VirtualClock() };
}

/** Reads all lines of a program that is talked to. */
async function linesOf(program: AgentProgram, ...messages: Record<string, unknown>[]): Promise<string[]> {
  const opened = await openChannel(program, [], '/');
  assert.ok(opened.ok);
  const lines: string[] = [];
  for (const message of messages) opened.channel.send(message);
  await opened.channel.listen({
    line: (text) => void lines.push(text),
    ended: ({ code }) => void lines.push(`ended with ${code}`),
  });
  assert.equal(opened.channel.isOver, true);
  return [...lines, opened.channel.complaints];
}

test('[CI1] a program gets its path, home, language, proxy and the variables that the config names, and no key', () => {
  const own = {
    PATH: '/bin',
    HOME: '/h',
    LC_ALL: 'C',
    https_proxy: 'p',
    NO_PROXY: 'n',
    ANTHROPIC_API_KEY: 'k',
    OTHER: 'o',
    EMPTY: undefined,
  };
  const usual = { PATH: '/bin', HOME: '/h', LC_ALL: 'C', https_proxy: 'p', NO_PROXY: 'n' };
  assert.deepEqual(agentEnvironment(own), usual);
  assert.deepEqual(agentEnvironment(own, { pass: ['OTHER', 'EMPTY'], set: { MORE: 'm' } }), {
    ...usual,
    OTHER: 'o',
    MORE: 'm',
  });
});

test('[CI2] lines end at line feeds alone, wherever their bytes are cut, and the error output is kept beside them', async (t) => {
  const text = 'a\u2028b ü 🧵';
  // Each byte is written by a call to the system, so that the pieces are cut inside of characters.
  const script = `const bytes = Buffer.from(${JSON.stringify(`${JSON.stringify({ text })}\nnot JSON\r\nlast`)});
    for (const byte of bytes) require('fs').writeSync(1, Buffer.of(byte));
    require('fs').writeSync(2, 'it is wrong\\n'); process.exitCode = 3;`;
  assert.deepEqual(await linesOf(programOf(t, script)), [
    JSON.stringify({ text }),
    'not JSON',
    'last',
    'ended with 3',
    'it is wrong',
  ]);
});

test('[CI2] messages are sent as lines of JSON, and one that is no longer read is lost without a failure', async (t) => {
  const script = `let text = ''; process.stdin.on('data', (piece) => {
    text += piece; if (text.split('\\n').length === 3) { process.stdout.write(text); process.exit(); } });`;
  const lines = await linesOf(programOf(t, script), { a: '\n' }, { b: 1 });
  assert.deepEqual(lines, ['{"a":"\\n"}', '{"b":1}', 'ended with 0', '']);
});

test('[CI3] a brief run says what was printed and how it ended; one that cannot be started is refused', async (t) => {
  const program = programOf(
    t,
    'console.log(process.argv.at(-1), Object.keys(process.env).join()); console.error("oh"); process.exit(2)',
    { A: '1' },
  );
  assert.deepEqual(await runBriefly(program, ['version'], { directory: '/', time: 5_000 }), {
    ok: true,
    code: 2,
    stdout: 'version A\n',
    stderr: 'oh\n',
  });
  const missing = await runBriefly({ ...program, command: ['/nowhere/agent'] }, [], { directory: '/', time: 5_000 });
  assert.equal(!missing.ok && missing.refusal.reason, 'program-not-found');
});

test('[CI3] versions that Loom was not tried with are named, and others are not', () => {
  const tried = { oldest: '2.1.300', newest: '2.1.327' };
  assert.equal(versionIn('2.1.325 (Claude Code)'), '2.1.325');
  assert.equal(versionIn('codex'), undefined);
  assert.equal(remarkOnVersion('Claude Code', '2.1.300', tried), undefined);
  assert.equal(remarkOnVersion('Claude Code', '2.1.327', tried), undefined);
  assert.match(
    remarkOnVersion('Claude Code', '2.2.0', tried) ?? '',
    /newer than the versions that Loom was tried with/,
  );
  assert.match(remarkOnVersion('Claude Code', '2.1.99', tried) ?? '', /older than .* update it/);
});

/** A process that only remembers whether it was stopped. */
class FakeProcess implements WarmProcess {
  isBusy = false;
  isOver = false;
  async stop(): Promise<void> {
    this.isOver = true;
  }
}

test('[CI4] at most four unused processes are kept, each for ten minutes, and those that work longest', async () => {
  const clock = new VirtualClock();
  const pool = new WarmPool<FakeProcess>(clock);
  const all = Array.from({ length: 6 }, () => new FakeProcess());
  const [busy, second, third, fourth, fifth, sixth] = all;
  assert.ok(busy && second && third && fourth && fifth && sixth);
  busy.isBusy = true;
  for (const [index, process] of all.entries()) pool.keep(String(index), process);
  assert.deepEqual(
    all.map(({ isOver }) => isOver),
    [false, true, true, false, false, false],
  );
  assert.equal(pool.take('3'), fourth);
  assert.equal(pool.take('3'), undefined);
  fifth.isOver = true;
  assert.equal(pool.take('4'), undefined, 'one that has ended is not given away');
  clock.advance(10 * 60_000);
  assert.deepEqual([busy.isOver, fourth.isOver, sixth.isOver], [false, false, true], 'one that is used is not ended');
  busy.isBusy = false;
  clock.advance(10 * 60_000);
  assert.deepEqual([busy.isOver, pool.size], [true, 0]);
});

test('[CI4] a closed pool has ended its processes, and ends those that are given to it', async () => {
  const pool = new WarmPool<FakeProcess>(new VirtualClock());
  const [kept, same, forgotten, late] = Array.from({ length: 4 }, () => new FakeProcess());
  assert.ok(kept && same && forgotten && late);
  pool.keep('a', kept);
  pool.keep('a', same);
  assert.equal(kept.isOver, true, 'a name stands for one process');
  pool.keep('b', forgotten);
  pool.forget(forgotten);
  await pool.close();
  pool.keep('c', late);
  assert.deepEqual([same.isOver, forgotten.isOver, late.isOver], [true, false, true]);
});

test('[CI5] an answer is kept for ten minutes, one that is not good is not kept', async () => {
  const clock = new VirtualClock();
  let count = 0;
  const kept = new KeptAnswer(
    clock,
    async () => (count += 1),
    (answer) => answer !== 2,
  );
  assert.deepEqual(await Promise.all([kept.get(), kept.get()]), [1, 1]);
  clock.advance(10 * 60_000);
  assert.equal(await kept.get(), 2);
  assert.equal(await kept.get(), 3);
  assert.equal(await kept.get(), 3);
});
