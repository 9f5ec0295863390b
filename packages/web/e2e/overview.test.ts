import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser } from './testing/chromium.ts';
import { eventually, openPage } from './testing/open-page.ts';
import { begin } from './testing/begin.ts';

test(
  '[WB36] [WB112] what waits in all conversations is counted in the title, decided in the tray, and leaves it',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t);
    const tools = (await ask('tool.list', {})).items.map(({ name }) => name);
    const roots: string[] = [];
    for (const words of ['run the tests', 'ask me something']) {
      const { root, nodes } = await begin(ask, words);
      roots.push(root);
      await ask('turn.start', { node: nodes[0] ?? '', provider: 'demo', model: 'demo', tools });
    }
    await eventually(
      () => page.title(),
      (title) => title === '(2) Loom',
    );
    assert.match((await page.locator('link[rel="icon"]').getAttribute('href')) ?? '', /icon-waiting/u);
    await page.getByRole('link', { name: /^Needs you/u }).click();
    // Buttons that decide are disabled at first; a click waits for them.
    await page.getByRole('button', { name: 'Allow once' }).click();
    await page.getByText('Allowed', { exact: true }).waitFor();
    await page.getByRole('radio', { name: 'Madder red' }).check();
    await page.getByRole('button', { name: 'Send answer' }).click();
    await eventually(
      async () => (await ask('turn.waiting', {})).items.length,
      (left) => left === 0,
    );
    const [first = '', second = ''] = roots;
    const results = async (root: string) =>
      (await ask('tree.subtree', { top: root })).items.filter(({ message }) => message.role === 'tool');
    await eventually(
      () => results(first),
      (nodes) => nodes.some(({ tool }) => tool === 'result'),
    );
    const answered = await eventually(
      () => results(second),
      (nodes) => nodes.some(({ tool }) => tool === 'result'),
    );
    assert.match(JSON.stringify(answered), /Madder red/u);
    await page.getByText('Nothing is waiting for you').waitFor();
    assert.equal(await page.title(), 'Needs you · Loom');
  },
);

test(
  '[WB113] bookmarks are listed, lead to their messages and can be taken away; usage counts a forked answer once',
  { skip: noBrowser },
  async (t) => {
    const { page, ask } = await openPage(t, { isAlone: true });
    const { root, nodes } = await begin(ask, `echo: one two three ${'long'.repeat(80)}`);
    const [question = ''] = nodes;
    const { turns } = await ask('turn.start', { node: question, provider: 'demo', model: 'demo' });
    await ask('turn.wait', { root, turn: turns[0] ?? '' });
    const { items } = await ask('tree.subtree', { top: root });
    const answer = items.find(({ message }) => message.role === 'assistant')?.id ?? '';
    await ask('node.append', { parent: answer, messages: [{ role: 'user', content: 'one way' }] });
    await ask('node.append', { parent: answer, messages: [{ role: 'user', content: 'another way' }] });
    await ask('node.bookmark', { node: answer, title: 'The answer' });
    await page.getByRole('link', { name: 'Bookmarks' }).click();
    await page.getByRole('link', { name: /The answer/u }).click();
    await page.waitForURL(new RegExp(`/r/${root}/${answer.split('/')[1]}`, 'u'));
    await page.goBack();
    await page.getByRole('button', { name: 'Remove the bookmark' }).click();
    await page.getByText('No bookmarks yet').waitFor();
    assert.deepEqual((await ask('bookmark.list', {})).items, []);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(
      async () => (await ask('bookmark.list', {})).items,
      (marks) => marks[0]?.title === 'The answer',
    );

    await page.getByRole('link', { name: 'Usage' }).click();
    const [used] = (await ask('usage.list', {})).items;
    assert.equal(used?.calls, 1);
    const total = (used?.input_tokens ?? 0) + (used?.output_tokens ?? 0);
    const label = `Tokens by day, All: ${total} in all`;
    await page.getByRole('button', { name: 'All' }).click();
    await page.getByRole('img', { name: label }).waitFor();
    await page.getByText('model call', { exact: true }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Cost by model' }).waitFor();
    await page.getByRole('cell', { name: '$0.00' }).waitFor();
    await page.getByRole('button', { name: 'Conversation', exact: true }).click();
    await page.getByRole('heading', { name: 'Cost by conversation' }).waitFor();
    const box = await page.getByRole('columnheader', { name: 'Cost' }).last().boundingBox();
    assert.ok(box !== null && box.x + box.width <= 1280, 'a long name leaves room for what it costs');
  },
);
