import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser } from './testing/chromium.ts';
import { eventually, frames, openPage } from './testing/open-page.ts';
import type { OpenedPage } from './testing/open-page.ts';

const messages = 2000;

/** A long conversation. */
async function createLong({ ask }: Pick<OpenedPage, 'ask'>): Promise<{ root: string; tip: string }> {
  const { root } = await ask('root.create', {});
  let tip: string = root;
  for (let at = 0; at < messages; at += 500) {
    const said = Array.from({ length: 500 }, (_, index) => ({
      role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `Message ${at + index}. ${'Words that fill a line or two. '.repeat((at + index) % 7)}`,
    }));
    const { nodes } = await ask('node.append', { parent: tip, messages: said });
    tip = nodes.at(-1) ?? tip;
  }
  return { root, tip };
}

/** An answer that is written for more than ten seconds. */
async function beginAnswer({ ask }: Pick<OpenedPage, 'ask'>, node: string): Promise<void> {
  await ask('turn.start', { node, provider: 'demo', model: 'slow' });
}

/** The first block that is wholly in sight, and where it stands. */
async function firstInSight(page: Page): Promise<{ block: string; top: number }> {
  return page.evaluate(() => {
    const feed = document.querySelector('[role="feed"]');
    const edge = feed?.getBoundingClientRect().top ?? 0;
    for (const row of feed?.querySelectorAll('[data-block]') ?? []) {
      const { top } = row.getBoundingClientRect();
      if (top >= edge) return { block: row.getAttribute('data-block') ?? '', top };
    }
    return { block: '', top: 0 };
  });
}

/** The same, once it stands still. */
async function firstAtRest(page: Page): Promise<{ block: string; top: number }> {
  for (;;) {
    const before = await firstInSight(page);
    await frames(page, 20);
    const after = await firstInSight(page);
    if (after.block === before.block && after.top === before.top) return after;
  }
}

async function topOf(page: Page, block: string): Promise<number | undefined> {
  return page.evaluate(
    (id) => document.querySelector(`[data-block="${CSS.escape(id)}"]`)?.getBoundingClientRect().top,
    block,
  );
}

test(
  '[WB69] in a long conversation a reader who has scrolled up stays in place while a model writes, over a reload, and while the server is away',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t, { isAlone: true });
    const { page, ask, served, whileAway } = opened;
    const { root, tip } = await createLong(opened);
    await beginAnswer(opened, tip);
    const written = async (): Promise<string> => {
      const { items } = await ask('tree.subtree', { top: tip });
      const text = items.flatMap(({ message }) => message.content).findLast((block) => block.type === 'text');
      return text?.type === 'text' ? text.text : '';
    };
    await page.goto(`/r/${encodeURIComponent(root)}`);
    const feed = page.getByRole('feed');
    await feed.getByText('The slow weaver').waitFor();
    const grows = async (by: number): Promise<void> => {
      const before = (await written()).length;
      await eventually(written, (text) => text.length >= before + by);
    };
    await feed.hover();
    for (let turn = 0; turn < 12; turn += 1) {
      await page.mouse.wheel(0, -400);
      await frames(page, 2);
    }
    // Rows that have come into sight are measured once.
    const seen = await firstAtRest(page);
    assert.notEqual(seen.block, '');
    await grows(100);
    const moved = Math.abs(((await topOf(page, seen.block)) ?? Infinity) - seen.top);
    assert.ok(moved <= 1, `what is read has moved by ${moved} px while the model wrote`);
    await page.reload();
    await feed.locator(`[data-block="${seen.block}"]`).waitFor();
    const back = await eventually(
      async () => Math.abs(((await topOf(page, seen.block)) ?? Infinity) - seen.top),
      (distance) => distance <= 2,
    );
    assert.ok(back <= 2);
    await whileAway(async () => {
      await served.stop('SIGKILL');
      const words = page.getByText(/econnect/u).first();
      await words.waitFor();
      await served.run();
      await words.waitFor({ state: 'detached' });
    });
    const after = Math.abs(((await topOf(page, seen.block)) ?? Infinity) - seen.top);
    assert.ok(after <= 2, `what is read has moved by ${after} px while the server was away`);
    await page.getByRole('button', { name: /Latest|new block/u }).click();
    const text = await written();
    const lastWord = /(\w+)\W*$/u.exec(text)?.[1] ?? '';
    await feed.locator('article').last().getByText(lastWord).first().waitFor();
  },
);

test(
  '[WB162] while a model writes at the end, no row above is taken out and put back, and all can be pressed',
  { skip: noBrowser },
  async (t) => {
    const opened = await openPage(t);
    const { page } = opened;
    const { root, tip } = await createLong(opened);
    await page.goto(`/r/${encodeURIComponent(root)}`);
    const feed = page.getByRole('feed');
    await feed.getByText(`Message ${messages - 1}.`).waitFor();
    const watched = await feed.evaluateHandle((element) => {
      const facts = { gone: new Set<string>(), back: new Set<string>(), deaf: 0, lines: 0 };
      const blocks = (nodes: NodeList): string[] =>
        Array.from(nodes).flatMap((node) =>
          node instanceof Element
            ? Array.from(node.querySelectorAll('[data-block]'), (row) => row.getAttribute('data-block') ?? '')
            : [],
        );
      new MutationObserver((changes) => {
        for (const { addedNodes, removedNodes } of changes) {
          for (const block of blocks(addedNodes)) if (facts.gone.has(block)) facts.back.add(block);
          for (const block of blocks(removedNodes)) facts.gone.add(block);
        }
      }).observe(element, { subtree: true, childList: true });
      element.addEventListener('scroll', () => {
        facts.lines += 1;
      });
      const look = (): void => {
        const row = element.querySelector('article');
        if (row !== null && getComputedStyle(row).pointerEvents === 'none') facts.deaf += 1;
        requestAnimationFrame(look);
      };
      look();
      return facts;
    });
    await beginAnswer(opened, tip);
    await feed.getByText('The slow weaver').waitFor();
    const facts = (): Promise<{ back: number; deaf: number; lines: number }> =>
      watched.evaluate(({ back, deaf, lines }) => ({ back: back.size, deaf, lines }));
    const after = await eventually(facts, ({ lines }) => lines >= 4);
    assert.deepEqual({ back: after.back, deaf: after.deaf }, { back: 0, deaf: 0 });
  },
);
