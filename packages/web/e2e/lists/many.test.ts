import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { noBrowser } from '../testing/chromium.ts';
import { judge } from '../testing/judge.ts';
import { openPage } from '../testing/open-page.ts';
import type { OpenedPage } from '../testing/open-page.ts';

/** Made up, and put together here, so that no scanner takes it for a real one. */
const token = ['ghp', 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5'].join('_');

async function begin({ ask, served }: OpenedPage, folder: string | undefined, said: string): Promise<string> {
  const directory = folder === undefined ? undefined : join(served.dataDir, folder);
  if (directory !== undefined) mkdirSync(directory, { recursive: true });
  const { root } = await ask('root.create', { config: directory === undefined ? {} : { directory } });
  await ask('node.append', { parent: root, messages: [{ role: 'user', content: said }] });
  return root;
}

test(
  '[WB576] [WB577] selected conversations get titles from a model once their price is told, and none that have one',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { isAlone: true, path: '/conversations' });
    const { page, ask } = opened;
    const roots = [
      await begin(opened, 'tides', 'Parse the stations'),
      await begin(opened, 'tides', 'Plot the gauges'),
      await begin(opened, undefined, 'Leap seconds'),
    ];
    const [stations = '', gauges = '', leap = ''] = roots;
    await ask('root.mark', { root: leap, title: 'Leap seconds' });
    const main = page.getByRole('main');
    await main.getByRole('link', { name: /Plot the gauges/u }).focus();
    await page.keyboard.press('Control+a');
    const bar = page.getByRole('toolbar', { name: '3 selected' });
    // Without a model the button says where to choose one.
    await bar.getByRole('button', { name: 'Add titles…' }).click();
    await page.getByText('No model is set up that could find titles').waitFor();
    await ask('setting.set', { key: 'defaults.titleModel', value: 'demo' });
    await page.keyboard.press('Escape');
    await main.getByRole('link', { name: /Plot the gauges/u }).focus();
    await page.keyboard.press('Control+a');
    const button = bar.getByRole('button', { name: 'Add titles, free' });
    await button.waitFor();
    await judge(page, 'bulk-titles');
    await page.setViewportSize({ width: 360, height: 780 });
    await judge(page, 'bulk-360');
    await page.setViewportSize({ width: 1280, height: 800 });
    // By keyboard alone.
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByText('Added 2 titles.').waitFor();
    const titles = await Promise.all(roots.map(async (root) => (await ask('root.get', { root })).title));
    assert.match(titles[0] ?? '', /Parse the stations/u);
    assert.match(titles[1] ?? '', /Plot the gauges/u);
    assert.equal(titles[2], 'Leap seconds');
    for (const root of [stations, gauges]) {
      const title = titles[roots.indexOf(root)] ?? '';
      await main.getByRole('link', { name: title, exact: true }).waitFor();
    }
    await main.getByRole('link', { name: 'Leap seconds' }).focus();
    await page.keyboard.press('Control+a');
    await bar.getByRole('button', { name: 'Export…' }).waitFor();
    assert.equal(await bar.getByRole('button', { name: /Add titles/u }).count(), 0);
  },
);

test(
  '[WB578] selected conversations are saved as one archive, and what is secret in them is shown and replaced first',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { isAlone: true, path: '/conversations' });
    const { page, ask } = opened;
    const first = await begin(opened, 'tides', 'Parse the stations');
    await begin(opened, 'tides', `Push with ${token}`);
    const other = await begin(opened, undefined, 'Leap seconds');
    await ask('root.mark', { root: first, title: 'Parse the stations' });
    await ask('root.mark', { root: other, title: 'Leap seconds' });
    const main = page.getByRole('main');
    const save = async (answer: RegExp | undefined): Promise<string> => {
      await main.getByRole('link', { name: 'Leap seconds' }).focus();
      await page.keyboard.press('Control+a');
      await page.getByRole('toolbar').getByRole('button', { name: 'Export…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Export' });
      await dialog.getByRole('radio', { name: /JSON lines/u }).check();
      await judge(page, 'bulk-export');
      const download = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'Save' }).click();
      if (answer !== undefined) {
        await dialog.getByText('1 secret found').waitFor();
        assert.equal(await dialog.getByText(token).count(), 0);
        await judge(page, 'bulk-secrets');
        await dialog.getByRole('button', { name: answer }).click();
      }
      const saved = await download;
      assert.match(saved.suggestedFilename(), /^loom-[\d-]+-3\.zip$/u);
      await page.getByText(/Saved 3 conversations as/u).waitFor();
      return saved.path();
    };
    const replaced = readFileSync(await save(/Replace by/u));
    const clean = unpacked(replaced);
    assert.deepEqual([...clean.keys()].filter((name) => !name.includes('root-')).sort(), [
      'no-project/leap-seconds.jsonl',
      'tides/parse-the-stations.jsonl',
    ]);
    assert.ok(![...clean.values()].some((text) => text.includes(token)), 'a secret is in the archive');
    const kept = unpacked(readFileSync(await save(/Save as it is/u)));
    assert.ok([...kept.values()].some((text) => text.includes(`Push with ${token}`)));
    assert.deepEqual([...kept.keys()].sort(), [...clean.keys()].sort());
  },
);

/** Reads the files of an archive, one after the other, by their headers. */
function unpacked(bytes: Buffer): Map<string, string> {
  const files = new Map<string, string>();
  for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50;) {
    const [length, nameLength] = [bytes.readUInt32LE(at + 18), bytes.readUInt16LE(at + 26)];
    const name = bytes.toString('utf8', at + 30, at + 30 + nameLength);
    const end = at + 30 + nameLength + length;
    files.set(name, inflateRawSync(bytes.subarray(at + 30 + nameLength, end)).toString());
    at = end;
  }
  return files;
}
