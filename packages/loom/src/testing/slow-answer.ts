import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import type { StoreKind } from '@loom/data-folder/store-kind';
import { PROGRAM, ownEnvironment } from './loom-process.ts';

/** Starts an answer that takes long and waits until some of it is seen. */
export async function startSlowAnswer(
  context: TestContext,
  dataDir: string,
  store: StoreKind,
): Promise<{ child: ChildProcess; seen: string }> {
  const args = [PROGRAM, 'chat', '-m', 'demo:slow', '-p', 'tell me', '--data-dir', dataDir, '--store', store];
  const child = spawn(process.execPath, args, { env: ownEnvironment(dataDir), stdio: ['ignore', 'pipe', 'inherit'] });
  context.after(() => child.kill('SIGKILL'));
  let seen = '';
  child.stdout.setEncoding('utf8');
  while (seen.length < 20) {
    const received: unknown[] = await once(child.stdout, 'data');
    seen += String(received[0]);
  }
  return { child, seen };
}
