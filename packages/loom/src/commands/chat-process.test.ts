import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import type { StoreKind } from '@loom/data-folder/store-kind';
import { ForestFolder, jsonLines, wordsOf } from '../testing/forest-folder.ts';
import { MAIN, runLoom } from '../testing/loom-process.ts';

/** Starts an answer that takes long and waits until some of it is seen. */
async function startSlowAnswer(
  context: TestContext,
  dataDir: string,
  store: StoreKind,
): Promise<{ child: ChildProcess; seen: string }> {
  const args = [MAIN, 'chat', '-m', 'demo:slow', '-p', 'tell me', '--data-dir', dataDir, '--store', store];
  const child = spawn(process.execPath, args, { env: { HOME: dataDir }, stdio: ['ignore', 'pipe', 'inherit'] });
  context.after(() => child.kill('SIGKILL'));
  let seen = '';
  child.stdout.setEncoding('utf8');
  while (seen.length < 20) {
    const received: unknown[] = await once(child.stdout, 'data');
    seen += String(received[0]);
  }
  return { child, seen };
}

test('[CH1] [FC12] two conversations from two processes make two trees', async (context) => {
  const { dataDir } = new ForestFolder(context);
  const loom = (...args: string[]) => runLoom([...args, '--data-dir', dataDir], { home: dataDir });
  for (const text of ['hello', 'hello']) {
    const { code, stdout, stderr } = await loom('chat', '-p', text);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^\*\*Hello, and welcome to Loom!\*\*/);
  }
  const { code, stdout, stderr } = await loom('tree');
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(
    stdout,
    /^(?:root-\w{26} {2}hello\nnode-1 {2}you {2}hello\nnode-2 {2}demo {2}\*\*Hello, and welcome[^\n]*…\n\n?){2}$/,
  );
});

for (const store of STORE_KINDS) {
  test(`[CH3] [FC1] [FC3] ${store}: after kill -9 the text that was seen is kept, and the conversation goes on at once`, async (context) => {
    const folder = new ForestFolder(context, store);
    const { child, seen } = await startSlowAnswer(context, folder.dataDir, store);
    child.kill('SIGKILL');
    // At once: the killed process may not even be gone yet.
    const next = runLoom(['chat', '--continue', '-p', 'echo on we go', '--data-dir', folder.dataDir], {
      home: folder.dataDir,
    });
    assert.deepEqual(await next, { code: 0, stdout: 'on we go\n', stderr: '' });
    const nodes = await folder.nodes(['tree']);
    const [block] = nodes[1]?.message.content ?? [];
    assert.deepEqual([block?.status, block?.error?.code], ['error', 'interrupted']);
    assert.ok(block?.text?.startsWith(seen.trimEnd()), `${block?.text} does not begin with ${seen}`);
    assert.deepEqual(wordsOf(nodes).slice(2), ['user: echo on we go', 'assistant: on we go']);
  });

  test(`[FC3] ${store}: readers see what a killed process left as interrupted, and change nothing`, async (context) => {
    const folder = new ForestFolder(context, store);
    const { child } = await startSlowAnswer(context, folder.dataDir, store);
    const [, running] = await folder.nodes(['tree']);
    assert.equal(running?.message.content[0]?.status, 'running', 'its owner is alive');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const looked = await folder.succeed(['tree', '--json']);
    assert.match(looked, /"status":"error".*"code":"interrupted"|"code":"interrupted".*"status":"error"/);
    assert.match(await folder.succeed(['tree']), /\(interrupted\)/);
    assert.match(await folder.succeed(['show', 'node-2']), /Not complete: interrupted/);
    assert.equal(await folder.succeed(['tree', '--json']), looked);
  });

  test(`[FC1] [FC2] ${store}: a second writer is told which process writes, a reader is not hindered`, async (context) => {
    const folder = new ForestFolder(context, store);
    const { child } = await startSlowAnswer(context, folder.dataDir, store);
    const second = await folder.run(['chat', '-p', 'hello']);
    assert.deepEqual([second.code, second.out], [1, '']);
    assert.match(second.note, new RegExp(`process ${child.pid}\\) is writing to .*\n.*--data-dir`));
    const [failure] = jsonLines((await folder.run(['rm', 'node-1', '--json'])).out);
    assert.match(JSON.stringify(failure), new RegExp(`"code":"locked".*"pid":${child.pid}`));
    assert.equal((await folder.nodes(['tree'])).length, 2);
  });
}

test('[CH10] [LM12] [LM16] a chat through pipes answers line by line, without prompts and colours', async (context) => {
  const { dataDir } = new ForestFolder(context);
  const { code, stdout, stderr } = await runLoom(['chat', '--data-dir', dataDir], {
    home: dataDir,
    input: 'echo one\n\necho two\n/tree\n',
  });
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(
    stdout,
    /^one\n\ntwo\n\nnode-1 {2}you {2}echo one\n(?:.*\n){2}node-4 {2}demo {2}two {2}← you are here\n$/,
  );
});
