import { spawn } from 'node:child_process';
import { createReadStream, readdirSync, readlinkSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { guardsOf, isRunning, killWithGuard } from './guards.ts';

/** Faults that a test of the guard has to find. */
export type DoomedFault = 'past-the-guard' | 'dead-guard';

interface DoomedOptions {
  /** Without it only the part of Loom that starts programs is begun. */
  dataDir?: string | undefined;
  directory: string;
  /** Each runs in a separate conversation. */
  commands: readonly string[];
  /** The pipe that the commands hold open, with everything that they start. */
  pipe: string;
  /** The search path of Loom and of its commands. Default: that of the test. */
  path?: string;
  fault?: DoomedFault | undefined;
}

const doomedPort = new URL('doomed-port.ts', import.meta.url);
const doomedCommands = new URL('doomed-commands.ts', import.meta.url);

interface DoomedLoom {
  /** Returns the next line that a command wrote into the pipe. */
  nextLine(): Promise<unknown>;
  /**
   * Kills Loom and waits for its guard, which is what ends the programs. Returns the processes that hold the pipe then and do not end either,
   * and the milliseconds that it took.
   */
  kill(): Promise<{ outliving: string[]; took: number }>;
}

/** Starts a Loom whose model runs commands, for a test to kill. */
export function startDoomed(t: TestContext, options: DoomedOptions): DoomedLoom {
  const { dataDir, directory, commands, pipe, fault, path = process.env['PATH'] ?? '' } = options;
  const program = fileURLToPath(dataDir === undefined ? doomedPort : doomedCommands);
  const folders = dataDir === undefined ? [directory] : [dataDir, directory];
  const child = spawn(process.execPath, [program, ...folders, ...commands], {
    env: { ...process.env, PATH: path, LOOM_TEST_FAULT: fault },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const input = createReadStream(pipe);
  t.after(() => input.destroy());
  const lines = createInterface({ input })[Symbol.asyncIterator]();
  return {
    nextLine: async () => (await lines.next()).value,
    async kill() {
      const pid = child.pid ?? 0;
      const guards = guardsOf(pid);
      const begun = performance.now();
      if (fault === 'dead-guard') killWithGuard(pid, guards);
      else child.kill('SIGKILL');
      while ([pid, ...guards].some(isRunning)) await new Promise((resolve) => setTimeout(resolve, 5));
      let outliving = holdersOf(pipe);
      // A killed process loses its memory, by which the guard knows it, before its open files: on a busy machine it takes a while to die.
      for (let looks = 0; outliving.length > 0 && looks < mostLooks; looks += 1) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        outliving = holdersOf(pipe);
      }
      const took = performance.now() - begun;
      input.destroy();
      return { outliving, took };
    },
  };
}

/** The number of looks at processes that end, 50 ms apart. */
const mostLooks = 20;

/** Finds the processes that hold a file open, but for this one: whatever group, session and environment they are in. */
function holdersOf(file: string): string[] {
  return readdirSync('/proc').filter((pid) => /^\d+$/u.test(pid) && Number(pid) !== process.pid && holds(pid, file));
}

function holds(pid: string, file: string): boolean {
  try {
    // The dead that nothing has collected yet hold nothing.
    const descriptors = readdirSync(`/proc/${pid}/fd`);
    return descriptors.some((descriptor) => isOpen(`/proc/${pid}/fd/${descriptor}`, file));
  } catch {
    return false;
  }
}

function isOpen(descriptor: string, file: string): boolean {
  try {
    return readlinkSync(descriptor) === file;
  } catch {
    return false;
  }
}

/** Ends what holds a pipe open, also what is started meanwhile. Only for a pipe that nothing but the commands of a test has opened. */
export function endHolders(pipe: string): void {
  for (let holders = holdersOf(pipe); holders.length > 0; holders = holdersOf(pipe)) {
    for (const pid of holders) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It is gone.
      }
    }
  }
}
