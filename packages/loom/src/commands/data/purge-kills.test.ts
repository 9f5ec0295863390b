import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sampled, tellTried } from '@loom/blocks/testing';
import type { FolderNews } from '@loom/data-folder';
import { STORE_KINDS, type StoreKind } from '@loom/data-folder/store-kind';
import { temporaryDirectory } from '@loom/kernel/testing';
import { openLoom } from '../../open-loom.ts';

const secret = 'sk-1234-SECRETKEY';

/** The files below a folder that hold the secret. */
function filesWithSecret(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(folder, name);
    return statSync(path).isFile() && readFileSync(path).includes(secret);
  });
}

/** Makes a folder whose conversation says the secret in a text, in an earlier version of it and in a picture. */
async function makeFolder(t: TestContext, storeKind: StoreKind): Promise<{ dataDir: string; blocks: string[] }> {
  const dataDir = join(temporaryDirectory(t), 'data');
  await using loom = await openLoom({ dataDir, storeKind });
  const made = await loom.call('root.create', {});
  if (!made.ok) assert.fail();
  const { root } = made.value;
  const blob = await loom.engine.blobs.put(new TextEncoder().encode(`a picture of ${secret}`));
  const picture = { type: 'image' as const, media_type: 'image/png', blob };
  const text = { type: 'text' as const, text: `my key is ${secret}` };
  const content: [typeof text, typeof picture] = [text, picture];
  const messages = [{ role: 'user' as const, content }];
  assert.ok((await loom.call('node.append', { parent: root, messages })).ok);
  const blocks = [`${root}/@person/1`, `${root}/@person/2`];
  const operations = [{ op: 'replace' as const, start_line: 0, end_line: 1, content: `another: ${secret}` }];
  assert.ok((await loom.call('block.edit', { block_id: blocks[0] ?? '', operations })).ok);
  return { dataDir, blocks };
}

/** Purges in a process that is killed before a step, if it comes so far. Returns the number of steps. */
async function purgeUntil(t: TestContext, dataDir: string, blocks: readonly string[], step: number): Promise<number> {
  const killPoint = fileURLToPath(new URL('../../testing/purge-kills/kill-point.ts', import.meta.url));
  const program = fileURLToPath(new URL('../../testing/purge-kills/purging-process.ts', import.meta.url));
  const steps = join(temporaryDirectory(t), 'steps');
  const args = ['--import', killPoint, program, dataDir, ...blocks];
  const env = { ...process.env, STEPS: steps, KILL_AT: String(step) };
  const purging = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  await once(purging, 'exit');
  assert.ok(purging.exitCode === 0 || purging.signalCode === 'SIGKILL', `${purging.exitCode} ${purging.signalCode}`);
  return statSync(steps).size;
}

for (const store of STORE_KINDS) {
  test(`[PU26] ${store}: killed at any step of a purge, a folder says the old words or none, and the same purge completes it`, async (t) => {
    const { dataDir, blocks } = await makeFolder(t, store);
    const [block = ''] = blocks;
    const copyOf = (): string => {
      const copy = join(temporaryDirectory(t), 'data');
      cpSync(dataDir, copy, { recursive: true });
      return copy;
    };
    const whole = copyOf();
    const count = await purgeUntil(t, whole, blocks, -1);
    assert.deepEqual(filesWithSecret(whole), []);
    const points = sampled(
      Array.from({ length: count }, (_, index) => index + 1),
      Math.ceil(count / 3),
    );
    for (const point of points) {
      const folder = copyOf();
      await purgeUntil(t, folder, blocks, point);
      const news: FolderNews[] = [];
      const loom = await openLoom({ dataDir: folder, news: (item) => void news.push(item) });
      const read = await loom.call('block.read', { block_id: block });
      const words = read.ok ? JSON.stringify(read.value) : read.refusal.reason;
      await loom.close();
      const isOld = words.includes(secret);
      assert.ok(isOld || words.includes('█'), words);
      assert.deepEqual(
        news.filter((item) => item.type !== 'files' || item.report.type !== 'restored'),
        [],
        `nothing was taken for an edit by hand after step ${point}`,
      );
      // Only the picture may be left: its block is purged, and its file goes last.
      const left = filesWithSecret(folder).filter((name) => !name.startsWith('blobs'));
      if (!isOld) assert.deepEqual(left, [], `after step ${point}`);
      const again = await openLoom({ dataDir: folder });
      assert.ok((await again.call('block.purge', { blocks, confirmed: true })).ok);
      await again.close();
      assert.deepEqual(filesWithSecret(folder), [], `after step ${point} and the same purge`);
    }
    tellTried(t, points.length, `of ${count} kills`);
  });
}
