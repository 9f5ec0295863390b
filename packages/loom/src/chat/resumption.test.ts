import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { ForestFolder } from '../testing/forest-folder.ts';
import { PROGRAM, ownEnvironment } from '../testing/loom-process.ts';

test('[CH18] a call that waited for a decision when its process died is asked about again', async (context) => {
  const folder = new ForestFolder(context);
  const args = [PROGRAM, 'chat', '--data-dir', folder.dataDir];
  const child = spawn(process.execPath, args, {
    env: ownEnvironment(folder.dataDir),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  context.after(() => child.kill('SIGKILL'));
  child.stdin.write('call run_command {"command":"ls"}\n');
  let seen = '';
  while (!seen.includes('$ ls')) {
    const received: unknown[] = await once(child.stdout, 'data');
    seen += String(received[0]);
  }
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.match(await folder.succeed(['tree']), /\(waiting\)/);
  const { code, out } = await folder.run(['chat', '--continue'], { input: 'y\necho done\n' });
  assert.equal(code, 0);
  assert.match(out, /^● run_command\n {2}\$ ls\n[^]*✔ run_command\n[^]*\ndone\n$/);
  assert.doesNotMatch(await folder.succeed(['tree']), /\(waiting\)/);
});
