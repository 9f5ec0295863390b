import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { z } from 'zod';
import { PROGRAM, ownEnvironment } from '../../testing/loom-process.ts';

const ready = z.strictObject({ url: z.string(), token: z.string(), pid: z.int() });

/** `loom serve --json` in a separate process. */
export interface ServeProcess extends z.infer<typeof ready> {
  child: ChildProcess;
  /** Sends a signal, and returns the exit code. */
  end: (signal: NodeJS.Signals) => Promise<unknown>;
}

export async function startServe(t: TestContext, dataDir: string, ...args: string[]): Promise<ServeProcess> {
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--json', '--data-dir', dataDir, ...args], {
    env: ownEnvironment(dataDir),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const lines: unknown[] = await once(createInterface({ input: child.stdout }), 'line');
  return {
    ...ready.parse(JSON.parse(String(lines[0]))),
    child,
    async end(signal) {
      const ended = once(child, 'exit');
      child.kill(signal);
      const codes: unknown[] = await ended;
      return codes[0];
    },
  };
}
