import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violationsInAllLooks } from '../testing/axe.ts';
import { noBrowser } from '../testing/chromium.ts';
import { eventually, openPage } from '../testing/open-page.ts';

test(
  '[WB723] titles are switched off and on in the settings, and their model is chosen with the price of a hundred told',
  { skip: noBrowser },
  async (t) => {
    const env = { ANTHROPIC_API_KEY: 'sk-ant-none' };
    const { page, ask } = await openPage(t, { isAlone: true, env, path: '/settings/models' });
    const setting = async (key: string): Promise<unknown> =>
      (await ask('setting.list', {})).items.find((item) => item.key === key)?.value;
    const titles = page.getByRole('switch', { name: 'Titles', exact: true });
    await titles.press('Space');
    await eventually(
      () => setting('defaults.titles'),
      (value) => value === false,
    );
    await page.getByRole('switch', { name: 'Titles', exact: true, checked: false }).press('Space');
    await eventually(
      () => setting('defaults.titles'),
      (value) => value !== false,
    );
    const models = page.getByRole('combobox', { name: 'Model for titles' });
    const [, second = ''] = await models.getByRole('option').allInnerTexts();
    assert.match(second, /^anthropic/u);
    await models.selectOption(second);
    await eventually(
      () => setting('defaults.titleModel'),
      (value) => value === second,
    );
    await page.getByText(/\$\d+\.\d\d for 100 titles/u).waitFor();
    assert.deepEqual(await violationsInAllLooks(page), []);
    await models.selectOption('The least expensive');
    await eventually(
      () => setting('defaults.titleModel'),
      (value) => value === undefined,
    );
  },
);
