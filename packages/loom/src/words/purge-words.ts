import type { ResultOf, RootState } from '@loom/kernel';
import { shorten } from '../chat/drawing/cards.ts';
import { showControls } from '../chat/drawing/column.ts';
import { titleOf } from '../forest-view/node-line.ts';
import { count } from '../terminal/progress.ts';
import { nameInCommands } from '../runtime/named-place.ts';
import type { Loom } from '../runtime/loom.ts';
import { idOfText } from '../texts/text-place.ts';
import { suggest } from '../command-line/suggested-command.ts';

type Plan = ResultOf<'block.purge'>;

/** Words the texts a purge will remove, as lines for people. */
export async function describeTexts(loom: Loom, { roots, texts }: Plan): Promise<string> {
  const rows: string[] = [];
  const names = new BlockNames(loom);
  for (const root of roots) {
    const state = await loom.open(root);
    const about = `(${count(state.nodes.size, 'message')}${describeBookmarks(state)})`;
    rows.push(`${root}  ${shorten(showControls(titleOf(state)), 60)} ${about}`);
  }
  for (const { block, text } of texts.slice(0, mostRows)) {
    rows.push(`${await names.of(block)}  ${shorten(showControls(text), longestText)}`);
  }
  if (texts.length > mostRows) rows.push(`and ${count(texts.length - mostRows, 'more block')}`);
  return `This would be removed:\n${rows.map((row) => `  ${row}\n`).join('')}`;
}

/** Words a warning about bookmarks: they protect from being deleted, not from a purge. */
function describeBookmarks({ bookmarks }: RootState): string {
  if (bookmarks.size === 0) return '';
  const titles = [...bookmarks.values()].filter((title) => title !== '').slice(0, mostTitles);
  const named = titles.map((title) => `“${shorten(showControls(title), 40)}”`).join(', ');
  return `, ${bookmarks.size} of them bookmarked${named === '' ? '' : `: ${named}${bookmarks.size > titles.length ? ', …' : ''}`}`;
}

/** Words the other places where its words stand, and how to remove them there, as lines for people; nothing if there are none. */
export async function describeEchoes(loom: Loom, { elsewhere }: Plan, words: readonly string[]): Promise<string> {
  if (elsewhere.length === 0) return '';
  const rows: string[] = [];
  const found = new Set<string>();
  const names = new BlockNames(loom);
  for (const echo of elsewhere.slice(0, mostRows)) {
    const name = echo.block === undefined ? echo.root : await names.of(echo.block);
    if (echo.block !== undefined) found.add(name);
    rows.push(`${name}  ${placeOf(echo)}“${shorten(showControls(echo.words ?? ''), 60)}”`);
  }
  const rest = elsewhere.length - rows.length;
  if (rest > 0) rows.push(`and ${count(rest, 'more place')}`);
  const command = suggest(`purge ${[...words, ...found].join(' ')} --yes`);
  const advice = found.size === 0 ? '' : `To remove these too: ${command}\n`;
  return `The same words are elsewhere too:\n${rows.map((row) => `  ${row}\n`).join('')}${advice}`;
}

function placeOf({ block, earlier }: Plan['elsewhere'][number]): string {
  if (block === undefined) return 'in its title, settings or bookmarks: ';
  return earlier ? 'in an earlier version: ' : '';
}

/** The names that blocks have in commands: their nodes', where that is clear. Each conversation is read once. */
class BlockNames {
  readonly #loom: Loom;
  readonly #states = new Map<string, RootState | undefined>();

  constructor(loom: Loom) {
    this.#loom = loom;
  }

  async of(block: string): Promise<string> {
    const root = block.slice(0, block.indexOf('/'));
    const state = this.#states.get(root) ?? (await this.#loom.peek(root));
    this.#states.set(root, state);
    const [node, found] = [state?.nodes.get(state.nodeOfBlock.get(block) ?? ''), state?.block(block)];
    return nameInCommands(this.#loom, node === undefined || found === undefined ? block : idOfText(node, found));
  }
}

const mostTitles = 5;
const mostRows = 20;
const longestText = 300;
