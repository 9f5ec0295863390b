import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ParamsOf } from '@loom/kernel';
import { noBrowser } from '../testing/chromium.ts';
import { eventually, openPage } from '../testing/open-page.ts';

type Message = ParamsOf<'node.append'>['messages'][number];

const directory = '/home/user/code/tides';

/** A turn that reads files, one of them twice, and runs commands, of which one fails. */
function turn(number: number): Message[] {
  const files = ['src/map/near.ts', 'src/list.ts', 'src/list.ts'];
  const calls = [
    ...files.map((path) => ({ name: 'Read', parameters: { file_path: `${directory}/${path}` } })),
    ...['npm test', 'npm run lint'].map((command) => ({ name: 'Bash', parameters: { command } })),
  ].map((call, index) => ({ type: 'tool-use' as const, id: `call-${number}-${index}`, ...call }));
  const answers = calls.map(({ id, name }, index) => ({
    role: 'tool' as const,
    tool_call_id: id,
    content:
      name === 'Read'
        ? [{ type: 'code' as const, content: 'a\nb\n', filename: `${directory}/${files[index] ?? ''}` }]
        : [{ type: 'command' as const, command: 'npm', exit_code: index - 3 }],
  }));
  const report = Array.from({ length: 40 }, (_, line) => `Line ${line} of report ${number}.`).join('\n\n');
  return [
    { role: 'user', content: `Question ${number}` },
    { role: 'assistant', content: [{ type: 'thinking', text: '' }, ...calls] },
    ...answers,
    { role: 'assistant', content: report },
  ];
}

test(
  '[WB380] [WB381] [WB383] [WB384] [WB385] a long session is read by its turns, its folded reads and short paths',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page, ask } = opened;
    const { root } = await ask('root.create', { config: { directory } });
    await ask('node.append', { parent: root, messages: [turn(1), turn(2), turn(3)].flat() });
    await ask('home.set', { entries: [{ key: 'editor', value: { address: 'vscode://file{path}:{line}' } }] });
    await page.goto(`/r/${encodeURIComponent(root)}`);

    // The question stands above the end of its long answer, and leads there.
    const asked = page.getByRole('button', { name: /You asked, turn 3/u });
    await asked.getByText('Question 3').waitFor();
    const feed = page.getByRole('feed');
    await asked.click();
    await feed.getByText('Question 3', { exact: true }).waitFor();
    await asked.waitFor({ state: 'detached' });

    const reads = feed.getByRole('group', { name: 'Read 2 files' }).last();
    await reads.getByText('near.ts, list.ts twice').waitFor();
    assert.equal(await feed.getByRole('group', { name: /^Ran/u }).count(), 0, 'a command that failed is not folded');
    await reads.getByRole('button', { name: 'Read 2 files' }).click();
    const card = reads.getByRole('group', { name: 'Read src/map/near.ts' });
    assert.equal(await card.locator('.file-path').first().getAttribute('title'), `${directory}/src/map/near.ts`);
    await card.getByRole('button', { name: /near\.ts/u }).click();
    const link = card.getByRole('link', { name: 'Open in VS Code' });
    assert.equal(await link.getAttribute('href'), `vscode://file${directory}/src/map/near.ts:1`);

    // The list of turns goes to each of them.
    await page.getByRole('tab', { name: /^Turns/u }).click();
    const rows = page.getByRole('tabpanel').getByRole('listitem');
    assert.deepEqual(await rows.locator('.turn-words').allInnerTexts(), ['Question 1', 'Question 2', 'Question 3']);
    await rows.nth(1).getByText('5 tools').waitFor();
    await rows.first().getByRole('button').click();
    await feed.getByText('Question 1', { exact: true }).waitFor();
    await eventually(
      () => rows.first().getByRole('button').getAttribute('aria-current'),
      (current) => current === 'true',
    );

    // Without three turns there is no list of them.
    const { root: short } = await ask('root.create', {});
    await ask('node.append', { parent: short, messages: turn(1) });
    await page.goto(`/r/${encodeURIComponent(short)}`);
    await page.getByText('Line 39 of report 1.').waitFor();
    assert.equal(await page.getByRole('tab', { name: /^Turns/u }).count(), 0);
  },
);
