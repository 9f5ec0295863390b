import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { z } from 'zod';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import { ForestFolder, jsonLines, wordsOf } from '../testing/forest-folder.ts';
import { runLoom } from '../testing/loom-process.ts';
import { startSlowAnswer } from '../testing/slow-answer.ts';

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
    const gone = Date.now();
    const [listed] = jsonLines(await folder.succeed(['ls', '--json']));
    assert.deepEqual(jsonLines(await folder.succeed(['ls', '--json'])), [listed]);
    const { updated } = z.looseObject({ updated: z.iso.datetime() }).parse(listed);
    assert.ok(Date.parse(updated) <= gone, 'the time of the last change that is kept');
    const looked = await folder.succeed(['tree', '--json']);
    assert.match(looked, /"status":"error".*"code":"interrupted"|"code":"interrupted".*"status":"error"/);
    assert.match(await folder.succeed(['tree']), /\(interrupted\)/);
    assert.match(await folder.succeed(['show', 'node-2']), /Not complete: interrupted/);
    assert.equal(await folder.succeed(['tree', '--json']), looked);
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
