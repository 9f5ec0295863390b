import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ProcessOrder, RunningProcess } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { systemClock } from '../runtime/system-clock.ts';
import { markedProcesses } from './found-processes.ts';
import { factsOf, guardsOf } from './testing/guards.ts';
import { createProcessPort } from './process-port.ts';

const path = process.env['PATH'] ?? '';

/** A port, and a mark on everything that is run through it: none of that may be left. */
function createStage(t: TestContext) {
  const port = createProcessPort({ clock: systemClock });
  const mark = randomUUID();
  t.after(() => port.close());
  const order = (script: string, more: Partial<ProcessOrder> = {}): ProcessOrder => ({
    command: ['/bin/sh', '-c', script],
    directory: '/',
    environment: { PATH: path, TEST_MARK: mark },
    ...more,
  });
  return {
    port,
    mark,
    order,
    run: async (script: string, more?: Partial<ProcessOrder>): Promise<RunningProcess> => {
      const outcome = await port.spawn(order(script, more));
      assert.ok(outcome.ok, JSON.stringify(outcome));
      return outcome.process;
    },
    left: () => markedProcesses(mark),
  };
}

async function textOf({ output }: RunningProcess): Promise<{ stdout: string; stderr: string }> {
  const text = { stdout: '', stderr: '' };
  for await (const { stream, bytes } of output) text[stream] += Buffer.from(bytes).toString();
  return text;
}

async function firstOutput({ output }: RunningProcess): Promise<void> {
  const { done } = await output[Symbol.asyncIterator]().next();
  assert.equal(done, false);
}

test('[PS1] a program gets its arguments, its folder and its environment, and nothing else', async (t) => {
  const directory = temporaryDirectory(t);
  const { port, left } = createStage(t);
  const environment = { PATH: path, GREETING: 'good day' };
  const command = ['/bin/sh', '-c', 'echo "$1"; pwd; env; cat; echo bad >&2; exit 3', 'sh', '$(id) *'];
  const outcome = await port.spawn({ command, directory, environment });
  assert.ok(outcome.ok);
  const { stdout, stderr } = await textOf(outcome.process);
  const [argument, folder, ...variables] = stdout.trimEnd().split('\n');
  assert.deepEqual([argument, folder], ['$(id) *', directory]);
  // Shells set some variables for themselves.
  const ofShell = new Set(['PWD', 'OLDPWD', 'SHLVL', '_']);
  const names = variables.map((line) => line.split('=', 1)[0] ?? '').filter((name) => !ofShell.has(name));
  assert.deepEqual(names.sort(), ['GREETING', 'LOOM_PROCESS', 'PATH']);
  assert.equal(stderr, 'bad\n');
  assert.deepEqual(await outcome.process.ended, { reason: 'exited', code: 3 });
  assert.deepEqual(left(), []);
});

test('[PS1] what cannot be started is refused with the reason', async (t) => {
  const directory = temporaryDirectory(t);
  const plain = join(directory, 'plain.txt');
  writeFileSync(plain, 'not a program');
  const { port, order } = createStage(t);
  const reasonOf = async (given: ProcessOrder): Promise<string> => {
    const outcome = await port.spawn(given);
    return outcome.ok ? 'started' : outcome.refusal.reason;
  };
  assert.equal(await reasonOf(order('', { command: ['no-such-program'] })), 'program-not-found');
  assert.equal(await reasonOf(order('', { command: [plain] })), 'program-not-permitted');
  assert.equal(await reasonOf(order('true', { directory: join(directory, 'none') })), 'directory-not-found');
  assert.equal(await reasonOf(order('', { command: ['echo', 'a\0b'] })), 'failed');
  await port.close();
  assert.equal(await reasonOf(order('true')), 'closed');
});

test('[PS1] a program that takes input is written to until its input is ended', async (t) => {
  const { run } = createStage(t);
  const cat = await run('cat', { takesInput: true });
  const text = textOf(cat);
  for (const words of ['one ', 'two ', 'three']) await cat.write(new TextEncoder().encode(words));
  cat.endInput();
  assert.equal((await text).stdout, 'one two three');
  assert.deepEqual(await cat.ended, { reason: 'exited', code: 0 });
  await cat.write(new TextEncoder().encode('too late'));
});

test('[PS2] a program that is stopped is asked first, and killed if it does not listen', async (t) => {
  const { run, left } = createStage(t);
  const polite = await run("trap 'exit 7' TERM; echo ready; while :; do sleep 0.05; done");
  await firstOutput(polite);
  assert.deepEqual(await polite.stop(), { reason: 'stopped', code: 7 });
  const stubborn = await run("trap '' TERM; echo ready; while :; do sleep 1000; done");
  await firstOutput(stubborn);
  assert.deepEqual(await stubborn.stop(), { reason: 'stopped', signal: 'SIGKILL' });
  assert.deepEqual(left(), []);
});

test('[PS2] a signal stops it, also one that was given before', async (t) => {
  const { run, left } = createStage(t);
  const controller = new AbortController();
  const first = await run('echo ready; sleep 1000', { signal: controller.signal });
  await firstOutput(first);
  controller.abort();
  assert.equal((await first.ended).reason, 'stopped');
  const second = await run('sleep 1000', { signal: controller.signal });
  assert.equal((await second.ended).reason, 'stopped');
  assert.deepEqual(left(), []);
});

test('[PS2] closing the port stops all that run', async (t) => {
  const { port, run, left } = createStage(t);
  const all = [
    await run('sleep 1000'),
    await run("trap '' TERM; sleep 1000; sleep 1000"),
    await run('setsid sleep 1000 & wait'),
  ];
  await port.close();
  assert.deepEqual(
    (await Promise.all(all.map(({ ended }) => ended))).map(({ reason }) => reason),
    ['stopped', 'stopped', 'stopped'],
  );
  assert.deepEqual(left(), []);
});

test('[PS3] whatever a program has started ends with it, in its group or outside of it', async (t) => {
  const { run, left } = createStage(t);
  // Each says so once it runs, so that there is something to end.
  const parent = await run(`
    sh -c 'echo inside; exec sleep 1000' &
    setsid sh -c 'echo outside; exec sleep 1000' &
    setsid sh -c 'setsid sh -c "echo far; exec sleep 1000" & exit' &
    sleep 1000`);
  const heard = new Set<string>();
  for await (const { bytes } of parent.output) {
    for (const word of Buffer.from(bytes).toString().trim().split('\n')) heard.add(word);
    if (heard.size === 3) break;
  }
  assert.ok(left().length >= 4, String(left().length));
  process.kill(parent.pid, 'SIGKILL');
  assert.deepEqual(await parent.ended, { reason: 'exited', signal: 'SIGKILL' });
  assert.deepEqual(left(), []);
});

test('[PS3] output ends with the program, also if something that cannot be found holds it open', async (t) => {
  const { run } = createStage(t);
  const program = await run("env -i setsid sh -c 'echo $$; exec sleep 1000' & read -r line; echo $line", {
    takesInput: true,
  });
  let text = '';
  for await (const { bytes } of program.output) {
    if (text === '') await program.write(new TextEncoder().encode('done\n'));
    text += Buffer.from(bytes).toString();
  }
  assert.match(text, /^\d+\ndone\n$/u);
  assert.equal((await program.ended).code, 0);
  process.kill(Number(text.split('\n')[0]), 'SIGKILL');
});

test('[PS4] a program that prints faster than it is read has to wait', async (t) => {
  const { run } = createStage(t);
  const bytes = 20 * 1024 * 1024;
  const program = await run(`head -c ${bytes} /dev/zero`);
  let [read, most] = [0, 0];
  for await (const piece of program.output) {
    read += piece.bytes.length;
    // Time for anything that would come without being asked for.
    for (let round = 0; round < 3; round += 1) await new Promise(setImmediate);
    most = Math.max(most, program.printed - read);
  }
  assert.equal(read, bytes);
  assert.ok(most < 512 * 1024, `${most} bytes were held`);
  assert.deepEqual(await program.ended, { reason: 'exited', code: 0 });
});

test('[PS4] who leaves its output unread does not keep it from ending', async (t) => {
  const { run } = createStage(t);
  const program = await run('head -c 5000000 /dev/zero');
  for await (const { bytes } of program.output) if (bytes.length > 0) break;
  assert.deepEqual(await program.ended, { reason: 'exited', code: 0 });
});

test('[PS5] output beyond its limit is counted and dropped, and the program goes on', async (t) => {
  const { run } = createStage(t);
  const program = await run('head -c 100000 /dev/zero; echo end >&2', { limits: { output: 1_000 } });
  const { stdout, stderr } = await textOf(program);
  assert.equal(stdout.length + stderr.length, 1_000);
  assert.deepEqual(await program.ended, { reason: 'exited', code: 0 });
  assert.deepEqual([program.printed, program.dropped], [100_004, 99_004]);
});

test('[PS5] a program that takes longer than it may is stopped, and its end says so', async (t) => {
  const { run, left } = createStage(t);
  const program = await run('sleep 1000 & wait', { limits: { time: 10 } });
  assert.deepEqual(await program.ended, { reason: 'time-limit', signal: 'SIGTERM' });
  const quick = await run('true', { limits: { time: 600_000 } });
  assert.deepEqual(await quick.ended, { reason: 'exited', code: 0 });
  assert.deepEqual(left(), []);
});

interface Doomed {
  pid: number;
  kill: () => void;
  /** The lines that the program writes to a pipe that it and all its descendants hold. */
  lines: AsyncIterator<string>;
  left: () => number[];
}

/** Runs a script in a separate process of Loom. Everything the script starts holds the pipe, so the end of that is the end of all. */
async function createDoomed(t: TestContext, script: string, environment: Record<string, string> = {}): Promise<Doomed> {
  const pipe = join(temporaryDirectory(t), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const mark = randomUUID();
  const program = fileURLToPath(new URL('testing/doomed-parent.ts', import.meta.url));
  const parent = spawn(process.execPath, [program, '/', '/bin/sh', '-c', `exec 3>${pipe}; ${script}`], {
    env: { PATH: path, TEST_MARK: mark, ...environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  t.after(() => parent.kill('SIGKILL'));
  const lines = createInterface({ input: createReadStream(pipe) })[Symbol.asyncIterator]();
  const left = (): number[] => markedProcesses(mark).filter((pid) => pid !== parent.pid);
  return { pid: parent.pid ?? 0, kill: () => parent.kill('SIGKILL'), lines, left };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

for (const [what, script] of [
  ['a program', 'echo ready >&3; exec sleep 1000'],
  ['one that ignores requests to end', "trap '' TERM; echo ready >&3; while :; do sleep 1000; done"],
  ['one that has left its group and session', "setsid sh -c 'echo ready >&3; exec sleep 1000' & wait"],
  ['one with an environment of its own', "env -i sh -c 'echo ready >&3; exec sleep 1000' & wait"],
  ['one whose parent is gone', "setsid sh -c '(echo ready >&3; sleep 1000) & exit' & sleep 1000"],
] as const) {
  test(`[PS6] ${what} does not outlive a Loom that is killed, nor does the guard`, async (t) => {
    const doomed = await createDoomed(t, script);
    assert.deepEqual(await doomed.lines.next(), { done: false, value: 'ready' });
    const [guard = 0, ...others] = guardsOf(doomed.pid);
    assert.ok(guard > 0 && others.length === 0);
    assert.notDeepEqual(doomed.left(), []);
    doomed.kill();
    assert.equal((await doomed.lines.next()).done, true);
    await until(() => factsOf(guard) === undefined);
    assert.deepEqual(doomed.left(), []);
  });
}

test('[PS6] a guard that is killed is replaced by one that knows what runs', async (t) => {
  const doomed = await createDoomed(t, "trap '' TERM; echo ready >&3; exec sleep 1000");
  await doomed.lines.next();
  const [first = 0] = guardsOf(doomed.pid);
  process.kill(first, 'SIGKILL');
  await until(() => guardsOf(doomed.pid).some((pid) => pid !== first));
  assert.notDeepEqual(doomed.left(), []);
  doomed.kill();
  assert.equal((await doomed.lines.next()).done, true);
  assert.deepEqual(doomed.left(), []);
});

test('[PS6] what a Loom inside of another one starts is known to both', async (t) => {
  const doomed = await createDoomed(t, 'echo "$LOOM_PROCESS" >&3; exec sleep 1000', { LOOM_PROCESS: 'outer.1.' });
  const line = await doomed.lines.next();
  assert.match(String(line.value), /^outer\.1\.:[0-9a-f]{32}\.1\.$/u);
  doomed.kill();
  assert.equal((await doomed.lines.next()).done, true);
});
