import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { noBrowser } from './testing/chromium.ts';
import { eventually, openPage } from './testing/open-page.ts';
import { ServedLoom } from './testing/served-loom.ts';

test(
  '[WB164] a log that has lost what was saved is told in the page, also after a reload, until the reader says that they know',
  { skip: noBrowser },
  async (t) => {
    const served = await ServedLoom.start(t);
    const created = await served.client.call('root.create', {});
    assert.ok(created.ok);
    await served.stop('SIGKILL');
    for (const name of ['loom.db-wal', 'loom.db-shm']) rmSync(join(served.dataDir, name), { force: true });
    await served.run();
    const { page, ask } = await openPage(t, { served });
    const notice = page.getByRole('alert').filter({ hasText: 'lost changes that had been saved' });
    await notice.waitFor();
    await page.reload();
    await notice.waitFor();
    await notice.getByRole('button', { name: 'I know' }).click();
    await notice.waitFor({ state: 'detached' });
    await eventually(
      () => ask('root.list', { limit: 1 }),
      ({ lost }) => lost === undefined,
    );
    await page.reload();
    await page.getByRole('main').waitFor();
    assert.equal(await notice.count(), 0);
  },
);
