import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { noBrowser } from './testing/chromium.ts';
import { openPage } from './testing/open-page.ts';
import { answered, write } from './testing/written-texts.ts';

/** The most kilobytes before the first paint, as they come over the wire. */
const mostBeforePaint = 200;

/** The most bytes of the editor, as they come over the wire. */
const mostOfEditor = 110_000;

test(
  '[WB136] little is loaded before the first paint; a part that could not be loaded says so and can be tried again',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t, { allowed: /Failed to load resource|Failed to fetch dynamically/u });
    const part = '**/assets/ComponentsPage*.js';
    await page.route(part, (route) => route.abort());
    const { root } = await ask('root.create', {});
    await ask('node.append', { parent: root, messages: [{ role: 'user', content: 'What was said' }] });
    await page.goto(`/r/${encodeURIComponent(root)}`);
    await page.getByRole('feed').getByText('What was said').waitFor();
    const names = await page.evaluate(() => {
      const painted = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity;
      const loaded = performance.getEntriesByType('resource').filter(({ startTime }) => startTime < painted);
      return loaded.map(({ name }) => name).filter((name) => name.endsWith('.js'));
    });
    assert.ok(names.length > 0);
    let size = 0;
    for (const name of names) size += gzipSync(await (await page.request.get(name)).body()).byteLength / 1000;
    assert.ok(size <= mostBeforePaint, `${Math.round(size)} KB of JavaScript come before the first paint`);
    await page.goto('/components');
    await page.getByRole('navigation').getByRole('link', { name: 'What was said' }).waitFor();
    // The server is there and does not have it: some browsers do not ask for it again before the page is loaded anew.
    await page.getByRole('alert').getByText('could not be loaded. Reload the page').waitFor();
    await page.unroute(part);
    await page.getByRole('alert').getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { name: 'Components' }).waitFor();
  },
);

test(
  '[WB510] [WB737] the editor comes when a text is opened, with all of CodeMirror and Markdown in at most 110 KB',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page } = opened;
    const { root } = await answered(opened, 'Write on');
    await write(page, root);
    const { painted, loaded } = await page.evaluate(() => ({
      painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity,
      loaded: performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('.js'))
        .map(({ name, startTime }) => ({ name, startTime })),
    }));
    let size = 0;
    for (const { name, startTime } of loaded) {
      const body = await (await page.request.get(name)).body();
      if (!body.includes('cm-content')) continue;
      size += gzipSync(body).byteLength;
      assert.ok(startTime > painted, `${name} comes before the first paint`);
    }
    assert.ok(size > 50_000, 'the editor was not found');
    assert.ok(size <= mostOfEditor, `the editor has ${size} bytes`);
  },
);

test(
  '[WB206] what tools answered is read once the page is painted, and stands in its line and its card without being asked for',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t);
    const { root } = await ask('root.create', {});
    const call = { type: 'tool-use' as const, id: 'c', name: 'Bash', parameters: { command: 'make' } };
    const text = `Exit code 2\n${Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join('\n')}`;
    await ask('node.append', {
      parent: root,
      messages: [
        { role: 'user', content: 'Build it' },
        { role: 'assistant', content: [call] },
        { role: 'tool', tool_call_id: 'c', is_error: true, content: [{ type: 'text', text }] },
        {
          role: 'assistant',
          content: [{ type: 'sources', sources: [{ id: '1', url: 'https://example.org/', title: 'An example' }] }],
        },
      ],
    });
    await page.goto(`/r/${encodeURIComponent(root)}`);
    const feed = page.getByRole('feed');
    await feed.getByRole('group', { name: 'Run make' }).getByText('exit 2').waitFor();
    await feed.getByText('line 3', { exact: false }).first().waitFor();
    await feed.getByText('An example').first().waitFor();
    const late = await page.evaluate(() => {
      const painted = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0;
      const parts = performance.getEntriesByType('resource').filter(({ name }) => /ToolBody|PlacedBlock/u.test(name));
      return parts.map(({ startTime }) => startTime > painted);
    });
    assert.deepEqual(late, [true, true]);
  },
);

test(
  '[WB136] a part that could not be loaded comes by itself when the server is back',
  { skip: noBrowser },
  async (t) => {
    const { page, served, whileAway } = await openPage(t, { path: '/needs-you', isAlone: true });
    await page.getByRole('heading', { name: 'Needs you' }).waitFor();
    await whileAway(async () => {
      await served.stop('SIGKILL');
      await page.evaluate(() => {
        history.pushState(null, '', '/components');
        dispatchEvent(new PopStateEvent('popstate'));
      });
      const alert = page.getByRole('alert').filter({ hasText: 'the server does not answer' });
      await alert.getByRole('button', { name: 'Try again' }).click();
      await alert.waitFor();
      await served.run();
      await page.getByRole('heading', { name: 'Components' }).waitFor();
    });
    // Parts of the page that was loaded just now may still wait to hear that the server is back.
    await page.getByRole('alert').getByText('could not be loaded').first().waitFor({ state: 'detached' });
  },
);

test(
  '[WB136] on a small screen a place that is no conversation is drawn without waiting',
  { skip: noBrowser },
  async (t) => {
    const { page } = await openPage(t, { width: 360, height: 740 });
    // Time stands still: every wait lasts forever.
    await page.clock.install();
    for (const [path, name] of [
      ['/usage', 'Usage'],
      ['/needs-you', 'Needs you'],
      ['/settings', 'Settings'],
    ] as const) {
      await page.goto(path);
      await page.clock.pauseAt(Date.now() + 60_000);
      await page.getByRole('heading', { name, exact: true }).first().waitFor();
    }
  },
);
