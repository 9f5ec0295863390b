// The processor time that a short program takes, started as Loom starts programs and bare: that of this process, and of the programs and the guard.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createProcessPort } from '@loom/loom/processes';
import { machineClock as clock, median, printHeader, printRatio } from './measure.ts';

const programs = 200;
const rounds = 7;
const command = ['/bin/true'];
const environment = { PATH: '/usr/bin:/bin' };

/** Milliseconds of processor time of this process, and of its children that have ended. */
function spent(): { own: number; children: number } {
  const { user, system } = process.cpuUsage();
  return { own: (user + system) / 1_000, children: ticksOf('self', 13, 15) };
}

/** Adds up some times of a process, in milliseconds. They are counted in ticks of ten: the reason for many programs. */
function ticksOf(pid: string, first: number, end: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(first, end).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}

async function measure(run: () => Promise<void>): Promise<{ own: number; children: number }> {
  const before = spent();
  for (let count = 0; count < programs; count += 1) await run();
  const after = spent();
  return { own: (after.own - before.own) / programs, children: (after.children - before.children) / programs };
}

async function bare(): Promise<void> {
  const child = spawn(command[0] ?? '', command.slice(1), { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.resume();
  child.stderr.resume();
  await once(child, 'close');
}

const port = createProcessPort({ clock });

async function guarded(): Promise<void> {
  const outcome = await port.spawn({ command, directory: '/', environment });
  if (!outcome.ok) throw new Error(outcome.refusal.message);
  for await (const _piece of outcome.process.output);
  await outcome.process.ended;
}

printHeader('processes');
await bare();
await guarded();
const figures: Record<'bare' | 'guarded', { own: number; children: number }[]> = { bare: [], guarded: [] };
for (let round = 0; round < rounds; round += 1) {
  figures.bare.push(await measure(bare));
  figures.guarded.push(await measure(guarded));
}
// The guard, which is the only child left, with the programs that it has started itself.
const [pid = ''] = readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1').split(' ');
const guard = ticksOf(pid, 11, 15) / (programs * rounds);
await port.close();
const of = (kind: 'bare' | 'guarded', part: 'own' | 'children'): number =>
  median(figures[kind].map((one) => one[part]));
const sum = (kind: 'bare' | 'guarded'): number => median(figures[kind].map(({ own, children }) => own + children));
console.log(`  processor time for each of ${programs} programs, median of ${rounds} rounds in turns, guarded ÷ bare`);
printRatio('all', sum('guarded'), sum('bare'));
printRatio('this process', of('guarded', 'own'), of('bare', 'own'));
printRatio('programs', of('guarded', 'children'), of('bare', 'children'));
console.log(`  the guard: ${guard.toFixed(2)} ms`);
