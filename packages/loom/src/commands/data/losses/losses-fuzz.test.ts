import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { rounds, sampleOfRun, tellTried } from '@loom/blocks/testing';
import { Random, temporaryDirectory } from '@loom/kernel/testing';
import { withWriter } from '../../../runtime/opened-folder.ts';
import { valueOf } from '../../../serve/testing/served.ts';

/** Histories; the deep run tries more. */
const tries = Number(process.env['LOOM_LOSSES'] ?? 4);

test('[FC46] [FC58] whatever is lost, said and acknowledged in whatever order, each loss is told until it is acknowledged, and none again', async (t) => {
  const seed = sampleOfRun();
  let losses = 0;
  for (const round of rounds((done) => done >= tries)) {
    const random = new Random(seed + round);
    const dataDir = join(temporaryDirectory(t), 'data');
    const roots: string[] = [];
    const lost = new Set<string>();
    const work = <T>(task: Parameters<typeof withWriter<T>>[1]): Promise<T> =>
      withWriter({ dataDir, store: 'files', note: () => {} }, task);
    await work(async (loom) => {
      for (let count = 0; count < 2; count += 1) roots.push(valueOf(await loom.call('root.create', {})).root);
    });
    const history: string[] = [];
    for (let step = 0; step < 14; step += 1) {
      const root = random.pick(roots) ?? assert.fail();
      switch (random.below(4)) {
        case 0: {
          const count = 1 + random.below(3);
          history.push(`say ${count} in ${root}`);
          await work(async (loom) => {
            for (let said = 0; said < count; said += 1) {
              const messages = [{ role: 'user' as const, content: `message ${step}` }];
              valueOf(await loom.call('node.append', { parent: root, messages }));
            }
          });
          break;
        }
        case 1: {
          const log = join(dataDir, root, 'log.jsonl');
          if (!existsSync(log)) break;
          history.push(`lose ${root}`);
          rmSync(log);
          losses += 1;
          lost.add(root);
          break;
        }
        case 2:
          history.push('acknowledge');
          await work(async (loom) => {
            for (const each of roots) await loom.peek(each);
            const { acknowledged } = valueOf(await loom.call('data.acknowledge_losses', {}));
            assert.equal(acknowledged, lost.size, history.join(', '));
          });
          lost.clear();
          break;
        default:
          break;
      }
      const told = await work(async (loom) => {
        for (const each of roots) await loom.peek(each);
        return (valueOf(await loom.call('root.list', {})).lost ?? []).map((one) => one.root);
      });
      assert.deepEqual(told.toSorted(), [...lost].toSorted(), `seed ${seed + round}: ${history.join(', ')}`);
    }
    rmSync(dataDir, { recursive: true });
  }
  tellTried(t, losses, 'losses');
});
