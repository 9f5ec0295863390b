import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser } from '../testing/chromium.ts';
import { eventually, openPage } from '../testing/open-page.ts';
import { answered, shownText, textOf, write } from '../testing/written-texts.ts';

/** The browser, and the worker in it, say that the server is not reached. */
const allowed = /WebSocket|Failed to load resource|Failed to fetch|net::ERR/u;

test(
  '[WB738] [WB739] a page that is reloaded while the server is stopped shows the text that was being written, is written on, and merges',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { isAlone: true, hasWorker: true, allowed });
    const { page, served, ask, whileAway } = opened;
    const { root, block } = await answered(opened, 'one\ntwo');
    await page.evaluate('navigator.serviceWorker.ready');
    // The worker that has just come takes the next visit, and keeps the files that it loads.
    await page.reload();
    await write(page, root);
    await page.keyboard.type('!');
    await eventually(
      () => textOf(opened, block),
      (text) => text === 'one\ntwo!',
    );
    await eventually(
      () =>
        // The page loads what was not needed so far when it has nothing else to do.
        page.evaluate(`Promise.all(performance.getEntriesByType('resource').map(({ name }) => name)
          .filter((name) => /(?:TextPage|BlockEditor|documents).*js$/u.test(name)).map((name) => caches.match(name)))
          .then((found) => found.length >= 3 && found.every((one) => one !== undefined))`),
      (isKept) => isKept === true,
    );
    const editor = page.getByRole('region', { name: 'What you were writing' });
    await whileAway(async () => {
      await served.stop('SIGKILL');
      await page.keyboard.type(' typed offline');
      await page.getByText(/^Offline since .* kept on this computer/u).waitFor();
      await page.reload();
      await editor.getByText(/^Offline since .* kept on this computer/u).waitFor();
      assert.equal(await shownText(page), 'one\ntwo! typed offline');
      await page.keyboard.type(', and after the reload');
      // The text alone on the page has it, too, and what was typed there is kept as well.
      await page.reload();
      await editor.getByRole('button', { name: 'Show it alone' }).press('Enter');
      await page.getByRole('heading', { name: 'one' }).waitFor();
      await eventually(
        () => shownText(page),
        (text) => text === 'one\ntwo! typed offline, and after the reload',
      );
      await page.reload();
      await page.locator('.cm-content[contenteditable=true]').waitFor();
      await page.keyboard.type('.');
      await served.run();
      await ask('block.edit', { block_id: block, operations: [{ op: 'insert', line: 0, content: 'zero' }] });
      await eventually(
        () => textOf(opened, block),
        (text) => text === 'zero\none\ntwo! typed offline, and after the reload.',
      );
    });
    await eventually(
      () => shownText(page),
      (text) => text === 'zero\none\ntwo! typed offline, and after the reload.',
    );
    await page.getByText(/^(?:Saved|\d+ edits? merged)/u).waitFor();
    await page.keyboard.type(' On');
    await eventually(
      () => textOf(opened, block),
      (text) => text.endsWith('reload. On'),
    );
    // Nothing of the text stays on this computer once it is saved.
    await page.goto(`/r/${encodeURIComponent(root)}`);
    await eventually(
      () => page.evaluate(`Object.entries(localStorage).filter(([, value]) => value.includes('"document"')).length`),
      (left) => left === 0,
    );
  },
);
