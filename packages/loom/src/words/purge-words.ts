import type { RootState } from '@loom/kernel';
import { shorten } from '../chat/drawing/cards.ts';
import { showControls } from '../chat/drawing/column.ts';
import { titleOf } from '../forest-view/node-line.ts';
import { count } from '../terminal/progress.ts';
import { nameInCommands } from '../runtime/named-place.ts';
import type { OpenedFolder } from '../runtime/opened-folder.ts';
import { idOfText } from '../texts/text-place.ts';
import type { Echo, PurgePlan } from '@loom/data-folder/upkeep';
import { suggest } from '../command-line/suggested-command.ts';

/** What a purge will remove, as lines for people. */
export async function describeTexts(loom: OpenedFolder, { roots, texts }: PurgePlan): Promise<string> {
  const rows: string[] = [];
  for (const root of roots) {
    const state = await loom.engine.forest.log(root).state();
    const about = `(${count(state.nodes.size, 'message')}${describeBookmarks(state)})`;
    rows.push(`${root}  ${shorten(showControls(titleOf(state)), 60)} ${about}`);
  }
  for (const { block, text } of texts.slice(0, mostRows)) {
    rows.push(`${await nameOf(loom, block)}  ${shorten(showControls(text), longestText)}`);
  }
  if (texts.length > mostRows) rows.push(`and ${count(texts.length - mostRows, 'more block')}`);
  return `This would be removed:\n${rows.map((row) => `  ${row}\n`).join('')}`;
}

/** Bookmarks protect from being deleted, not from a purge: the person is told. */
function describeBookmarks({ bookmarks }: RootState): string {
  if (bookmarks.size === 0) return '';
  const titles = [...bookmarks.values()].filter((title) => title !== '').slice(0, mostTitles);
  const named = titles.map((title) => `“${shorten(showControls(title), 40)}”`).join(', ');
  return `, ${bookmarks.size} of them bookmarked${named === '' ? '' : `: ${named}${bookmarks.size > titles.length ? ', …' : ''}`}`;
}

/** Where else its words stand, and how to remove them there, as lines for people; nothing if they are nowhere else. */
export async function describeEchoes(
  loom: OpenedFolder,
  { echoes }: PurgePlan,
  words: readonly string[],
): Promise<string> {
  if (echoes.length === 0) return '';
  const rows: string[] = [];
  const names = new Set<string>();
  for (const echo of echoes.slice(0, mostRows)) {
    const name = echo.block === undefined ? echo.root : await nameOf(loom, echo.block);
    if (echo.block !== undefined) names.add(name);
    rows.push(`${name}  ${placeOf(echo)}“${shorten(showControls(echo.words), 60)}”`);
  }
  const rest = echoes.length - rows.length;
  if (rest > 0) rows.push(`and ${count(rest, 'more place')}`);
  const command = suggest(`purge ${[...words, ...names].join(' ')} --yes`);
  const advice = names.size === 0 ? '' : `To remove these too: ${command}\n`;
  return `The same words are elsewhere too:\n${rows.map((row) => `  ${row}\n`).join('')}${advice}`;
}

function placeOf({ block, isEarlier }: Echo): string {
  if (block === undefined) return 'in its title, settings or bookmarks: ';
  return isEarlier ? 'in an earlier version: ' : '';
}

/** The name that a block has in commands: its node's, where that is clear. */
async function nameOf(loom: OpenedFolder, block: string): Promise<string> {
  const [root = ''] = block.split('/');
  const state = await loom.engine.forest.log(root).state();
  const [node, found] = [state.nodes.get(state.nodeOfBlock.get(block) ?? ''), state.block(block)];
  return nameInCommands(loom, node === undefined || found === undefined ? block : idOfText(node, found));
}

const mostTitles = 5;
const mostRows = 20;
const longestText = 300;
