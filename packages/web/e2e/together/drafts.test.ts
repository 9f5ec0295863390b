import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { violationsInAllLooks } from '../testing/axe.ts';
import { noBrowser } from '../testing/chromium.ts';
import { begin } from '../testing/begin.ts';
import { eventually, openPage } from '../testing/open-page.ts';
import { openSecondPerson } from '../testing/second-person.ts';
import { shownText, textOf } from '../testing/written-texts.ts';

test(
  '[WB640] [WB641] [WB642] a draft is begun, written beside the timeline, and each change of others is accepted or taken back',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const { root } = await begin(ask, 'Write the plan with me');
    const { client: jo } = await openSecondPerson(opened, 'jo');
    const { client: kim } = await openSecondPerson(opened, 'kim');
    await page.goto(`/r/${encodeURIComponent(root)}`);
    await page.getByRole('button', { name: 'Drafts', exact: true }).press('Enter');
    await page.getByRole('menuitem', { name: 'New draft' }).press('Enter');
    const pane = page.getByRole('complementary', { name: 'Draft' });
    await pane.getByText(/^Saved/u).waitFor();
    await page.keyboard.type('# The plan\n\nFirst step\nSecond step');
    const { drafts } = await eventually(
      () => ask('draft.list', { root }),
      (listed) => listed.drafts[0]?.opening === '# The plan\n\nFirst step\nSecond step',
    );
    const block = drafts[0]?.block_id ?? '';
    await pane.getByRole('heading', { name: 'The plan' }).waitFor();
    for (const [who, line, content] of [
      [jo, 2, 'First of all steps'],
      [kim, 3, 'Second of all steps'],
    ] as const) {
      const operations = [{ op: 'replace' as const, start_line: line, end_line: line + 1, content }];
      assert.ok((await who.call('block.edit', { block_id: block, operations })).ok);
      await eventually(
        () => shownText(page),
        (text) => text.includes(content),
      );
    }
    const changes = pane.getByRole('region', { name: 'Changes of others' });
    await changes.getByText('2 changes by others').waitFor();
    await changes
      .getByRole('listitem')
      .filter({ hasText: 'First' })
      .last()
      .getByRole('button', { name: 'Take back' })
      .click();
    await eventually(
      () => textOf(opened, block),
      (text) => text === '# The plan\n\nFirst step\nSecond of all steps',
    );
    await changes.getByRole('button', { name: 'Bring back' }).click();
    await eventually(
      () => textOf(opened, block),
      (text) => text === '# The plan\n\nFirst of all steps\nSecond of all steps',
    );
    await changes.getByRole('button', { name: 'Accept all' }).click();
    await changes.waitFor({ state: 'detached' });
    await page.reload();
    await pane.getByText(/^Saved/u).waitFor();
    assert.equal(await changes.count(), 0);
    const saved = page.waitForEvent('download');
    await pane.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Save as a file' }).click();
    const download = await saved;
    assert.equal(download.suggestedFilename(), 'the-plan.md');
    assert.equal(readFileSync(await download.path(), 'utf8'), await textOf(opened, block));
    assert.deepEqual(await violationsInAllLooks(page), []);
    await pane.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Remove the draft' }).click();
    await pane.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(
      () => ask('draft.list', { root }),
      (listed) => listed.drafts.length === 1,
    );
  },
);

test(
  '[WB645] [WB646] a text alone on the page has an outline and a count of words, and words are found and replaced as one edit',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const { root } = await begin(ask, 'Write it');
    const text = '# Tides\n\nThe tide rises.\n\n## Low tide\n\nThe tide falls.';
    const { block_id: block } = await ask('draft.create', { root, title: 'About tides', text });
    await page.goto(`/text/${encodeURIComponent(root)}#${encodeURIComponent(block.slice(root.length + 1))}`);
    await page.getByText(/^Saved/u).waitFor();
    await page.getByRole('heading', { name: 'About tides' }).waitFor();
    await page.getByText('9 words').waitFor();
    await page.getByRole('navigation', { name: 'Outline' }).getByRole('button', { name: 'Low tide' }).click();
    await page.keyboard.press('End');
    await page.keyboard.type(' and high tide');
    await page.getByText('12 words').waitFor();
    await page.keyboard.press('Control+f');
    await page.keyboard.type('tide');
    await page.getByText('5 matches').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('5 of 5').or(page.getByText('1 of 5')).waitFor();
    await page.getByRole('textbox', { name: 'Replace by' }).fill('wave');
    await page.getByRole('button', { name: 'Replace all' }).press('Enter');
    const replaced = '# waves\n\nThe wave rises.\n\n## Low wave and high wave\n\nThe wave falls.';
    await eventually(
      () => textOf(opened, block),
      (now) => now === replaced,
    );
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+z');
    await eventually(
      () => textOf(opened, block),
      (now) => now === text.replace('Low tide', 'Low tide and high tide'),
    );
    assert.deepEqual(await violationsInAllLooks(page), []);
    await page.getByRole('button', { name: /^Back to the conversation/u }).click();
    await page.getByRole('feed').waitFor();
    await page.goto(`/text/${encodeURIComponent(root)}#none`);
    await page.getByText('This text no longer exists').waitFor();
  },
);
