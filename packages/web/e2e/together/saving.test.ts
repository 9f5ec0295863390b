import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser } from '../testing/chromium.ts';
import { cuttingFeed } from '../testing/cutting-feed.ts';
import { eventually, openPage } from '../testing/open-page.ts';
import { openSecondPerson } from '../testing/second-person.ts';
import { answered, shownText, textOf, write } from '../testing/written-texts.ts';

/** The browser says that a connection is refused, or was cut. */
const allowed = /WebSocket|Failed to load resource/u;

test(
  '[WB512] [WB634] what is typed offline is kept through a reload, and merged without being opened again',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { allowed });
    const { page } = opened;
    const { root, block } = await answered(opened, 'one\ntwo');
    const { client: jo } = await openSecondPerson(opened, 'jo');
    const feed = await cuttingFeed(page);
    await page.reload();
    await write(page, root);
    await feed.off();
    await page.keyboard.type(' typed offline');
    await page.getByText(/^Offline since .* edits? (?:is|are) kept/u).waitFor();
    // Undo takes back what was not sent, and redo brings it back.
    await page.keyboard.press('Control+z');
    await eventually(
      () => shownText(page),
      (text) => text === 'one\ntwo',
    );
    await page.keyboard.press('Control+Shift+Z');
    await eventually(
      () => shownText(page),
      (text) => text === 'one\ntwo typed offline',
    );
    const changed = await jo.call('block.edit', {
      block_id: block,
      operations: [{ op: 'insert', line: 0, content: 'zero' }],
    });
    assert.ok(changed.ok);
    await page.reload();
    assert.equal(await textOf(opened, block), 'zero\none\ntwo');
    feed.on();
    await eventually(
      () => textOf(opened, block),
      (text) => text === 'zero\none\ntwo typed offline',
    );
    await page.getByRole('feed').getByText('typed offline').waitFor();
  },
);

test(
  '[WB633] an edit that could not be made is shown with both texts until its author decides, also after a reload',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { allowed });
    const { page, ask } = opened;
    const { root, node } = await answered(opened, 'A paragraph');
    const feed = await cuttingFeed(page);
    await page.reload();
    await write(page, root);
    await feed.off();
    await page.keyboard.type(' of mine');
    await page.getByText(/^Offline since/u).waitFor();
    await ask('node.remove', { node });
    feed.on();
    const lost = page.getByRole('region', { name: 'Edits that could not be made' });
    await lost.getByText('The text was deleted meanwhile.').waitFor();
    assert.equal(await lost.locator('ins').textContent(), ' of mine');
    await page.reload();
    await lost.getByText('deleted', { exact: true }).waitFor();
    // The message is brought back, and with it the place for the edit.
    await ask('node.restore', { node });
    await lost.getByRole('button', { name: 'Put mine back' }).click();
    await lost.waitFor({ state: 'detached' });
    const { message } = await ask('node.get', { node });
    assert.deepEqual(
      message.content.map((block) => block.type === 'text' && block.text),
      ['A paragraph of mine'],
    );
    await page.reload();
    await page.getByRole('feed').getByText('A paragraph of mine').waitFor();
    assert.equal(await lost.count(), 0);
  },
);

test('[WB633] a lost edit becomes a draft on demand', { skip: noBrowser }, async (t) => {
  const opened = await openPage(t, { allowed });
  const { page, ask } = opened;
  const { root, node } = await answered(opened, 'Gone soon');
  const feed = await cuttingFeed(page);
  await page.reload();
  await write(page, root);
  await feed.off();
  await page.keyboard.type(', but not these words');
  await page.getByText(/^Offline since/u).waitFor();
  await ask('node.remove', { node });
  feed.on();
  await page.getByRole('button', { name: 'Keep mine as a draft' }).click();
  const { drafts } = await eventually(
    () => ask('draft.list', { root }),
    (listed) => listed.drafts.length === 1,
  );
  assert.equal(drafts[0]?.opening, 'Gone soon, but not these words');
});

test('[WB625] a text is read-only until the server lets it be written', { skip: noBrowser }, async (t) => {
  const opened = await openPage(t, { allowed });
  const { page } = opened;
  const { root, block } = await answered(opened, 'read me');
  const feed = await cuttingFeed(page);
  await page.goto(`/r/${encodeURIComponent(root)}`);
  await page.getByRole('feed').getByText('read me').click();
  await feed.off();
  await page.keyboard.press('e');
  await page.getByText('The server does not answer. You can read and select.').waitFor();
  await page.keyboard.type(' not this');
  assert.equal(await shownText(page), 'read me');
  feed.on();
  await page.getByText(/^Saved/u).waitFor();
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' but this');
  await eventually(
    () => textOf(opened, block),
    (text) => text === 'read me but this',
  );
});
