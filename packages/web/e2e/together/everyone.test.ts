import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { runs, tellTried } from '@loom/blocks/testing';
import type { Page } from 'playwright-core';
import { noBrowser } from '../testing/chromium.ts';
import { cuttingFeed } from '../testing/cutting-feed.ts';
import { eventually, openPage } from '../testing/open-page.ts';
import type { OpenedPage } from '../testing/open-page.ts';
import { openSecondPerson } from '../testing/second-person.ts';
import { connectProgram } from '../testing/mcp-call.ts';
import { textOf, wholeText } from '../testing/written-texts.ts';

/** The words that each of them writes: about a minute of typing in the deep run. */
const words = runs(24, 240);
/** The share of frames at which a connection is cut. */
const share = 0.05;

const said = 'Tell me a long story, please.';

/** Begins an answer of the slow model; returns its text as soon as there is some. */
async function beginStory({ ask }: OpenedPage): Promise<{ root: string; block: string }> {
  const { root } = await ask('root.create', {});
  const { nodes } = await ask('node.append', { parent: root, messages: [{ role: 'user', content: said }] });
  await ask('turn.start', { node: nodes[0] ?? root, provider: 'demo', model: 'slow' });
  const block = await eventually(
    async () => {
      const { items } = await ask('tree.subtree', { top: root });
      const texts = items
        .filter(({ message }) => message.role === 'assistant')
        .flatMap(({ message }) => message.content);
      return texts.find((one) => one.type === 'text' && one.text !== '')?.block_id;
    },
    (found) => found !== undefined,
  );
  return { root, block: block ?? '' };
}

async function isRunning({ ask }: OpenedPage, root: string): Promise<boolean> {
  return (await ask('root.get', { root })).running.length > 0;
}

async function openForWriting(page: Page, root: string): Promise<void> {
  await page.goto(`/r/${encodeURIComponent(root)}`);
  await page.getByRole('feed').waitFor();
  await page.locator('[data-block]').last().click();
  await page.keyboard.press('e');
  await page.locator('.cm-content[contenteditable=true]').waitFor();
  await page.getByText(/^(?:Saved|\d+ edits? merged)/u).waitFor();
}

/** Types at the beginning of a line, word by word; each word is in the text once, and in this order. */
async function typeWords(page: Page, name: string, [from, to]: readonly [number, number]): Promise<void> {
  for (let at = from; at < to; at += 1) await page.keyboard.type(`${name}${at} `);
}

function wordsOf(text: string, name: string): string[] {
  return text.match(new RegExp(`${name}\\d+(?= )`, 'gu')) ?? [];
}

test(
  '[WB648] two people, a model and a program write one text while connections are cut: nothing is lost, and all see the same',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { isAlone: true, allowed: /WebSocket|Failed to load resource/u });
    const { page, ask } = opened;
    // The same story, told when nobody is beside the model.
    const alone = await beginStory(opened);
    const { page: jo } = await openSecondPerson(opened, 'jo');
    const random = randomOf(t);
    const robot = await connectProgram(opened, 'robot');
    const feeds = [await cuttingFeed(page, { random, share }), await cuttingFeed(jo, { random, share })] as const;
    const { root, block } = await beginStory(opened);
    await Promise.all([openForWriting(page, root), openForWriting(jo, root)]);
    const expected = Array.from({ length: words }, (_, at) => at);
    const half = Math.floor(words / 2);
    const program = async (): Promise<void> => {
      for (const at of expected) {
        await robot.call('block_splice', { block_id: block, offset: 0, delete_count: 0, insert: `m${at} ` });
      }
    };
    const writes = async (who: Page, name: string, feed: (typeof feeds)[number]): Promise<void> => {
      await who.keyboard.press('Control+Home');
      await typeWords(who, name, [0, half]);
      if (name === 'j') {
        // Without a connection, also over a reload.
        await feed.off();
        await typeWords(who, name, [half, half + 4]);
        await who.reload();
        feed.on();
      } else {
        await who.reload();
      }
      await openForWriting(who, root);
      await who.keyboard.press('Control+Home');
      await typeWords(who, name, [name === 'j' ? half + 4 : half, words]);
    };
    await Promise.all([writes(page, 'p', feeds[0]), writes(jo, 'j', feeds[1]), program()]);
    await eventually(
      async () => (await isRunning(opened, root)) || (await isRunning(opened, alone.root)),
      (isSo) => !isSo,
    );
    for (const feed of feeds) feed.share = 0;
    for (const who of [page, jo]) await who.getByText(/^(?:Saved|\d+ edits? merged)/u).waitFor();
    const text = await textOf(opened, block);
    for (const who of [page, jo]) {
      await eventually(
        () => wholeText(who),
        (shown) => shown === text,
      );
    }
    // Words typed in one go are in order; after the reload each began at the beginning again.
    for (const [name, first] of [
      ['p', half],
      ['j', half + 4],
    ] as const) {
      const order = [...expected.slice(first), ...expected.slice(0, first)];
      assert.deepEqual(
        wordsOf(text, name),
        order.map((at) => `${name}${at}`),
      );
    }
    assert.deepEqual(wordsOf(text, 'm').toSorted(), expected.map((at) => `m${at}`).toSorted());
    // Words of the model are left, as it says them when nobody is beside it.
    const left = text.replaceAll(/[mpj]\d+ /gu, '');
    assert.equal(left, await textOf(opened, alone.block));
    assert.ok(feeds[0].cuts + feeds[1].cuts > 0, 'no connection was cut');
    tellTried(t, feeds[0].cuts + feeds[1].cuts, `cuts while ${text.length} characters were written`);
    const { length } = await ask('block.history', { block_id: block, limit: 5000 });
    assert.ok(length > words);
  },
);

/** Returns random numbers from 0 to 1, the same ones for the same seed. */
function randomOf(t: TestContext): () => number {
  let state = Number(process.env['LOOM_SEED'] ?? 260_761);
  t.diagnostic(`LOOM_SEED=${state}`);
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
