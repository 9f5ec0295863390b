import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { StoreError } from '@loom/kernel/store';
import { z } from 'zod';
import { openPostgresStore } from '../open.ts';
import { appendUntilDone } from './append-loop.ts';

/** The work of a writer in a process of its own, until so many of its appends were acknowledged. */
const writerOptions = z.object({ url: z.string(), name: z.string(), logs: z.array(z.string()), count: z.number() });
type FaultWriterOptions = z.infer<typeof writerOptions>;

/** Starts a process that appends whatever happens to its database, and prints a line of JSON for each acknowledged append and each failure. */
export function startFaultWriter(options: FaultWriterOptions): ChildProcess {
  return spawn(process.execPath, [import.meta.filename, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

if (process.argv[1] === import.meta.filename) {
  await write(writerOptions.parse(JSON.parse(process.argv[2] ?? '{}')));
}

async function write({ url, name, logs, count }: FaultWriterOptions): Promise<void> {
  const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
  for (;;) {
    try {
      const store = await openPostgresStore({ url, connections: 3, statementMilliseconds: 5_000 });
      await appendUntilDone({ store, name, logs, count, say });
      await store.close();
      break;
    } catch (error) {
      // The database may be down while the process starts. Anything else that is not a failure with a type is a fault.
      if (!(error instanceof StoreError)) throw error;
      say({ type: 'failed', code: error.code });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  say({ type: 'done' });
}
