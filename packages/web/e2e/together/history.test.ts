import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser } from '../testing/chromium.ts';
import { eventually, openPage } from '../testing/open-page.ts';
import { openSecondPerson } from '../testing/second-person.ts';
import { answered, shownText, textOf, write } from '../testing/written-texts.ts';

test(
  '[WB630] [WB631] [WB632] the history of a text is walked, one edit of another taken back, and a version restored as an edit',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const { root, block } = await answered(opened, 'The list shows 100 rows');
    const { client: jo } = await openSecondPerson(opened, 'jo');
    await write(page, root);
    const edit = {
      block_id: block,
      operations: [{ op: 'replace' as const, start_line: 0, end_line: 1, content: 'The list shows 32 rows' }],
    };
    const changed = await jo.call('block.edit', edit);
    assert.ok(changed.ok);
    await page.keyboard.press('End');
    await page.keyboard.type(' now');
    await eventually(
      () => textOf(opened, block),
      (text) => text === 'The list shows 32 rows now',
    );
    await page.getByRole('button', { name: 'History', exact: true }).last().click();
    const slider = page.getByRole('slider', { name: 'Version' });
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    // The difference to the step before is marked.
    const past = page.getByRole('region', { name: /^Version \d+$/u });
    await past.locator('ins').getByText('32').waitFor();
    assert.equal(await past.locator('del').textContent(), '100');
    await page.locator('.history-step').getByText('jo').waitFor();
    await page.getByRole('button', { name: 'Undo this edit' }).click();
    await eventually(
      () => textOf(opened, block),
      (text) => text === 'The list shows 100 rows now',
    );
    // Keyboard alone: back to the first version, and it becomes the newest.
    await slider.focus();
    await page.keyboard.press('Home');
    await page.getByRole('button', { name: 'Restore', exact: true }).press('Enter');
    await eventually(
      () => textOf(opened, block),
      (text) => text === 'The list shows 100 rows',
    );
    const { length } = await ask('block.history', { block_id: block });
    await page.locator('.cm-content').focus();
    await page.keyboard.press('Control+z');
    await eventually(
      () => shownText(page),
      (text) => text === 'The list shows 100 rows now',
    );
    assert.ok((await ask('block.history', { block_id: block })).length > length);
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await past.waitFor();
    // At its end the text of now is there again, to be written on.
    await page.getByRole('button', { name: 'Replay' }).waitFor();
    await page.locator('.cm-content').waitFor();
    await page.getByRole('button', { name: 'Who wrote what' }).click();
    await page.locator('.cm-written-by-1').getByText('now').waitFor();
  },
);

test(
  '[WB635] what was typed moves to a branch, and the text here is as before, beside what others wrote',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const { root, node, block } = await answered(opened, 'The plan');
    const { client: jo } = await openSecondPerson(opened, 'jo');
    await write(page, root);
    await page.keyboard.type(' of mine');
    const added = await jo.call('block.edit', {
      block_id: block,
      operations: [{ op: 'insert', line: 1, content: 'and of jo' }],
    });
    assert.ok(added.ok);
    await eventually(
      () => shownText(page),
      (text) => text === 'The plan of mine\nand of jo',
    );
    await page.getByRole('button', { name: 'Move to a branch' }).click();
    await page.waitForURL((url) => url.pathname.split('/').length > 3);
    assert.equal(await textOf(opened, block), 'The plan\nand of jo');
    const { nodes } = await ask('node.siblings', { node });
    const texts = nodes.map(({ message }) =>
      message.content.map((one) => (one.type === 'text' ? one.text : '')).join(''),
    );
    assert.deepEqual(texts.toSorted(), ['The plan\nand of jo', 'The plan of mine\nand of jo']);
  },
);

test(
  '[WB636] what an edit costs the branches that build on it is said once typing rests',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const { root, node } = await answered(opened, 'An answer');
    await ask('node.append', { parent: node, messages: [{ role: 'user', content: 'And then?' }] });
    await page.goto(`/r/${encodeURIComponent(root)}`);
    await page.getByRole('button', { name: 'Edit (E)' }).nth(1).click();
    await page.getByRole('button', { name: 'Write in place, together' }).click();
    await page.getByText(/^Saved/u).waitFor();
    await page.getByText(/tokens paid again/u).waitFor();
  },
);
