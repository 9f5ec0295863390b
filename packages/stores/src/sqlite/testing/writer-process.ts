import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

/** A pair of records that a writer process knows to be durable. */
export interface Acknowledged {
  log: string;
  seq: number;
  text: string;
}

/** Runs a writer until it is done or has been killed after so many acknowledged pairs. Returns those pairs. */
export async function runWriter(
  t: TestContext,
  {
    directory,
    name,
    count,
    killAfter = Infinity,
  }: { directory: string; name: string; count: number; killAfter?: number },
): Promise<Acknowledged[]> {
  const script = fileURLToPath(import.meta.resolve('./append-loop.ts'));
  const child = spawn(process.execPath, [script, directory, name, `${count}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // A writer that exits normally leaves its compiled code for the next, which then starts three times as fast.
    env: { ...process.env, NODE_COMPILE_CACHE: join(directory, 'compiled') },
  });
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.split('\n').length > killAfter) child.kill('SIGKILL');
  });
  await once(child, 'close');
  const killed = child.signalCode === 'SIGKILL' && killAfter !== Infinity;
  if (!killed && child.exitCode !== 0) throw new Error(`the writer ${name} failed with ${child.exitCode}`);
  return output.split('\n').flatMap((line) => {
    const [, log, seq, text] = /^\{"log":"(.*)","seq":(\d+),"text":"(.*)"\}$/u.exec(line) ?? [];
    return log === undefined || text === undefined ? [] : [{ log, seq: Number(seq), text }];
  });
}
