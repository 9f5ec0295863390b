import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser } from './testing/chromium.ts';
import { begin } from './testing/begin.ts';
import { eventually, openPage } from './testing/open-page.ts';
import type { OpenedPage } from './testing/open-page.ts';

const field = ({ page }: OpenedPage) => page.getByRole('textbox', { name: 'Message' });

async function say(opened: OpenedPage, text: string, keys = 'Enter'): Promise<void> {
  await field(opened).fill(text);
  await field(opened).press(keys);
}

async function show({ page }: OpenedPage, root: string): Promise<void> {
  await page.goto(`/r/${encodeURIComponent(root)}`);
  await page.getByRole('feed').waitFor();
}

/** The texts of a conversation, by their roles. */
async function textsOf({ ask }: OpenedPage, root: string): Promise<string[]> {
  const { items } = await ask('tree.subtree', { top: root });
  return items.map(({ message: { role, content } }) => {
    const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    return `${role}: ${texts.join(' + ')}`;
  });
}

test(
  '[WB72] [WB74] files that are pasted and dropped, and what is mentioned, go along with the message',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    await field(opened).evaluate((element) => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File(['high water'], 'pasted.txt', { type: 'text/plain' }));
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    });
    await page.getByRole('button', { name: 'Remove pasted.txt' }).waitFor();
    const dropped = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['low water'], 'dropped.txt', { type: 'text/plain' }));
      return transfer;
    });
    await page.getByRole('main').dispatchEvent('dragover', { dataTransfer: dropped });
    await page.getByText('Drop files to attach them').waitFor();
    await page.getByRole('main').dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByRole('button', { name: 'Remove dropped.txt' }).waitFor();
    await page.getByText('Drop files to attach them').waitFor({ state: 'detached' });
    // Quotes from other conversations are attached, too.
    await begin(ask, 'The moon pulls at the sea');
    await field(opened).pressSequentially('@moon pulls');
    await page
      .getByRole('option', { name: /The moon pulls at the sea/u })
      .first()
      .waitFor();
    await field(opened).press('Enter');
    await page.getByRole('button', { name: /^Remove .*moon/u }).waitFor();
    await say(opened, 'Which is which?', 'Control+Enter');
    await page.waitForURL(/\/r\/root-/u);
    const root = decodeURIComponent(new URL(page.url()).pathname.split('/')[2] ?? '');
    const texts = await eventually(
      () => textsOf(opened, root),
      (found) => found.length > 0,
    );
    const [message = ''] = texts;
    assert.match(message, /^user: From "pasted.txt":\n\nhigh water \+ From "dropped.txt":\n\nlow water \+ /u);
    assert.match(message, /The moon pulls at the sea.* \+ Which is which\?$/su);
    assert.deepEqual((await ask('turn.list', { root })).items, []);
  },
);

test('[WB70] every command of the message field does what it says', { skip: noBrowser }, async (t) => {
  const opened = await openPage(t);
  const { page, ask } = opened;
  await ask('setting.set', { key: 'presets.short.model', value: 'demo:terse' });
  const { root, nodes } = await begin(ask, 'echo one');
  const [question = ''] = nodes;
  await show(opened, root);
  const answers = async (): Promise<string[]> => {
    const { nodes: found } = await ask('node.children', { node: question });
    return found.map(({ metadata: { source_info: source } }) => (source.type === 'model' ? source.model_name : ''));
  };
  // The page has to know that an answer has ended, too: while one is written a command waits for it, or is refused.
  const rest = async (): Promise<void> => {
    await eventually(
      async () => (await ask('root.get', { root })).running.length,
      (running) => running === 0,
    );
    await page.getByRole('button', { name: 'Send' }).waitFor();
  };
  await say(opened, '/model echo');
  await page.getByRole('button', { name: /^Who answers: demo:echo/u }).waitFor();
  await field(opened).press('Enter');
  await eventually(answers, (models) => models.join(' ') === 'echo');
  await rest();
  await say(opened, '/preset short');
  await page.getByText('short answers from now on.').waitFor();
  await page.getByRole('feed').getByText('echo one').last().waitFor();
  await say(opened, '/retry');
  await eventually(answers, (models) => models.join(' ') === 'echo terse');
  await rest();
  await say(opened, '/answers');
  await page.waitForURL(/\/answers$/u);
  await page.getByLabel('Answer 2 of 2').first().waitFor();
  await page.goBack();
  // The first Enter takes the suggestion; without words a model finds a name.
  await say(opened, '/title');
  await field(opened).press('Enter');
  await eventually(
    () => ask('root.get', { root }),
    ({ title = '' }) => title !== '',
  );
  await say(opened, '/title Two answers');
  await eventually(
    () => ask('root.get', { root }),
    ({ title }) => title === 'Two answers',
  );
  await say(opened, '/fork');
  await eventually(
    () => field(opened).inputValue(),
    (text) => text === 'echo one',
  );
  await say(opened, 'echo another');
  await eventually(
    () => textsOf(opened, root),
    (texts) => texts.includes('user: echo another') && texts.includes('user: echo one'),
  );
  await rest();
  await page.getByRole('feed').getByText('In short: “echo another” Noted.').waitFor();
  await say(opened, '/compact');
  await eventually(
    () => ask('tree.subtree', { top: root }),
    ({ items }) => items.some(({ metadata }) => metadata.context_start === true),
  );
  await say(opened, '/help');
  await page.getByRole('option', { name: /\/compact/u }).waitFor();
  await page.keyboard.press('Escape');
  await say(opened, '/new');
  await page.waitForURL((url) => url.pathname === '/');
  await say(opened, '/model slow');
  await page.getByRole('button', { name: /^Who answers: .*demo:slow/u }).waitFor();
  await say(opened, '/n 9');
  await page.getByText('How many answers: a number from 1 to 8').waitFor();
  assert.equal(await field(opened).inputValue(), '/n 9', 'what could not be done stays in the field');
  await say(opened, '/n 2');
  await page.getByText('Each message gets 2 answers side by side').waitFor();
  await say(opened, 'tell me');
  await page.waitForURL(/\/r\/root-/u);
  const waiting = decodeURIComponent(new URL(page.url()).pathname.split('/')[2] ?? '');
  const turns = async () => (await ask('turn.list', { root: waiting })).items;
  await eventually(turns, (begun) => begun.length === 2);
  await page.goto(`/r/${encodeURIComponent(waiting)}`);
  await page.getByRole('feed').getByText('The slow weaver').waitFor();
  await say(opened, '/stop');
  await eventually(turns, (begun) => begun.filter(({ ended }) => ended === 'aborted').length === 1);
  await say(opened, '/stop');
  await page.getByText('No model is writing on this branch').waitFor();
});

test('[WB77] a queued message is sent before the one above it', { skip: noBrowser }, async (t) => {
  const opened = await openPage(t);
  const { page, ask } = opened;
  const { root, nodes } = await begin(ask, 'wait 30 seconds');
  await ask('turn.start', { node: nodes[0] ?? '', provider: 'demo', model: 'demo', tools: ['slow_tool'] });
  await show(opened, root);
  await page.getByPlaceholder('Steer the model while it works').waitFor();
  await say(opened, 'echo first', 'Alt+Enter');
  await page.getByText('Queued: echo first').waitFor();
  await say(opened, 'echo second', 'Alt+Enter');
  await page.getByText('Queued: echo second').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Send it before the one above' }).count(), 1);
  await page.getByRole('button', { name: 'Send it before the one above' }).click();
  const shown = page.getByText(/^Queued: /u);
  await eventually(
    () => shown.allInnerTexts(),
    (texts) => texts.join() === 'Queued: echo second,Queued: echo first',
  );
  await page.reload();
  await shown.first().waitFor();
  assert.deepEqual(await shown.allInnerTexts(), ['Queued: echo second', 'Queued: echo first']);
});

test(
  '[WB58] [WB102] [WB117] what was undone is done again; recent branches lead to their ends',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const { root, nodes } = await begin(ask, 'a question');
    const [question = ''] = nodes;
    const answer = async (content: string): Promise<string> => {
      const said = await ask('node.append', { parent: question, messages: [{ role: 'assistant', content }] });
      return said.nodes[0] ?? '';
    };
    const [older] = [await answer(`an older answer, ${'long '.repeat(40)}`), await answer('a newer answer')];
    await show(opened, root);
    const feed = page.getByRole('feed');
    await feed.getByText('a newer answer').waitFor();
    const branches = page.getByRole('list', { name: 'Recent branches' });
    const { turns } = await ask('turn.start', { node: question, provider: 'demo', model: 'echo' });
    await ask('turn.wait', { root, turn: turns[0] ?? '' });
    await branches.getByRole('link', { name: /a question/u }).waitFor();
    await branches.getByRole('link', { name: /an older answer/u }).click();
    await page.waitForURL((url) => decodeURIComponent(url.pathname).endsWith(older));
    await feed.getByText('an older answer').waitFor();
    await page.reload();
    await feed.getByText('an older answer').waitFor();
    const title = page.getByRole('button', { name: 'a question', exact: true });
    const cut = await title.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    assert.equal(cut, 0, 'the name of the branch is cut, not the title');
    await page.getByRole('button', { name: 'See the exact request' }).click();
    await page.getByRole('region', { name: 'Request' }).getByText('an older answer').waitFor();
    await page.getByRole('button', { name: 'Hide the request' }).click();
    const children = async (): Promise<number> => (await ask('node.children', { node: question })).nodes.length;
    await feed.focus();
    await page.keyboard.press('k');
    await page.keyboard.press('Delete');
    await eventually(children, (left) => left === 2);
    await feed.focus();
    await page.keyboard.press('Control+z');
    await eventually(children, (left) => left === 3);
    await page.getByText('Undone.').waitFor();
    await page.keyboard.press('Control+Shift+z');
    await eventually(children, (left) => left === 2);
  },
);

test(
  '[WB24] of a large output a preview is shown, all of it on demand, and saved as a file',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask, client } = opened;
    const lines = Array.from({ length: 9000 }, (_, index) => `line ${index + 1}`).join('\n');
    const bytes = new TextEncoder().encode(lines);
    const blob = await client.putBlob(bytes);
    const { root, nodes } = await begin(ask, 'list everything');
    const stdout = { blob, bytes: bytes.byteLength, preview: lines.slice(0, 2000) };
    await ask('node.append', {
      parent: nodes[0] ?? '',
      messages: [
        { role: 'assistant', content: [{ type: 'tool-use', id: 'c', name: 'Bash', parameters: { command: 'ls -R' } }] },
        { role: 'tool', tool_call_id: 'c', content: [{ type: 'command', command: 'ls -R', stdout, exit_code: 0 }] },
      ],
    });
    await show(opened, root);
    const card = page.getByRole('feed').getByRole('group', { name: 'Run ls -R' });
    await card.getByRole('button', { name: /^Run/u }).click();
    await card.getByText('88.9 KB hidden').waitFor();
    const output = card.getByLabel('Output of ls -R');
    assert.doesNotMatch((await output.allInnerTexts()).join('\n'), /line 9000/u);
    const download = page.waitForEvent('download');
    await card.getByRole('button', { name: 'Save as…' }).click();
    assert.equal((await download).suggestedFilename(), 'output.txt');
    await card.getByRole('button', { name: 'Show all 88.9 KB' }).click();
    await card.getByLabel('part 1 of 1').getByText('line 9000').waitFor();
  },
);

test(
  '[WB66] [WB67] who wrote what is shown, and what leaving out costs is said before',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const { root, nodes } = await begin(ask, 'short', 'think about it');
    const { turns } = await ask('turn.start', { node: nodes[1] ?? '', provider: 'demo', model: 'demo' });
    await ask('turn.wait', { root, turn: turns[0] ?? '' });
    const { items } = await ask('tree.subtree', { top: root });
    const answer = items.find(({ message }) => message.role === 'assistant');
    const block = answer?.message.content.find(({ type }) => type === 'text')?.block_id ?? '';
    const [written] = answer?.message.content.flatMap((one) => (one.type === 'text' ? [one.text] : [])) ?? [];
    const content = `${written ?? ''} Ebb and flow.`;
    await ask('block.replace', { block_id: block, content });
    await show(opened, root);
    const feed = page.getByRole('feed');
    await feed.focus();
    await feed.locator('[data-block]').last().waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('k');
    await page.keyboard.press('a');
    const authors = page.getByRole('region', { name: 'Who wrote what' });
    await authors.getByText(/You \d+ %/u).waitFor();
    assert.equal((await authors.locator('.authored-2').first().innerText()).trim(), 'Ebb and flow.');
    await feed.focus();
    await page.keyboard.press('a');
    await authors.waitFor({ state: 'detached' });
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('k');
    const excluded = async (): Promise<number> =>
      (await ask('tree.subtree', { top: root })).items.filter(({ metadata }) => metadata.exclude !== undefined).length;
    await page.keyboard.press('x');
    const question = page.getByRole('dialog', { name: 'Leave this block out?' });
    await question.getByText('1 thinking block becomes invalid').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await excluded(), 0);
    await feed.focus();
    await page.keyboard.press('x');
    await question.getByRole('button', { name: 'Leave out' }).click();
    await eventually(excluded, (messages) => messages === 1);
  },
);
