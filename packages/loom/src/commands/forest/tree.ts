import { nodeJson, senderOf, subtree } from '@loom/kernel';
import type { RootState } from '@loom/kernel';
import { shorten } from '../../chat/drawing/cards.ts';
import { showControls } from '../../chat/drawing/column.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { drawTree } from '../../forest-view/draw-tree.ts';
import { titleOf } from '../../forest-view/node-line.ts';
import { describeCosts, modelCalls } from '../../models/price-words.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { listIds, listReadable } from '../../runtime/conversations.ts';
import { findPlaceToShow, nameAmong, type Place } from '../../runtime/named-place.ts';
import type { Loom } from '../../runtime/loom.ts';
import { withReader } from '../../runtime/opened-folder.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { styleFor } from '../../terminal/style.ts';
import { screenWidth, type Terminal } from '../../terminal/terminal.ts';

/** `loom tree [id]` */
export function showTrees(call: Call): Promise<ExitCode> {
  const { words, dataDir, isJson, terminal } = call;
  return withReader({ dataDir, note: noteOf(terminal, isJson) }, async (loom) => {
    const places = await findTops(loom, words, noteOf(terminal, isJson));
    const ids = await listIds(loom);
    let isFirst = true;
    for (const { root, node } of places) {
      // A conversation that is named and cannot be read is a failure; of all others those that can be read are shown.
      if (words.length === 0 && (await loom.peek(root)) === undefined) continue;
      const state = await loom.open(root);
      if (isJson) for (const { id } of subtree(state, node)) terminal.out(`${JSON.stringify(nodeJson(state, id))}\n`);
      else {
        const sender = senderOf(state.config);
        const from = sender === undefined ? undefined : nameAmong(ids, sender);
        terminal.out(`${isFirst ? '' : '\n'}${drawWithHead(state, node, from, terminal)}`);
      }
      isFirst = false;
    }
    // Conversations that cannot be read are reported at the end.
    const isEmpty = places.length === 0 && loom.damaged.size === 0;
    if (isEmpty && !isJson) {
      terminal.note(`There is no conversation in ${dataDir}. To start one: ${suggest('chat')}\n`);
    }
    return EXIT.ok;
  });
}

async function findTops(loom: Loom, words: readonly string[], note: (text: string) => void): Promise<Place[]> {
  if (words.length > 0) return Promise.all(words.map((word) => findPlaceToShow(loom, word, note)));
  return (await listReadable(loom)).map((root) => ({ root, node: root }));
}

/** `from` is the node of another conversation whose call has sent this one's agent out. */
function drawWithHead(state: RootState, top: string, from: string | undefined, terminal: Terminal): string {
  const style = styleFor(terminal, 'out');
  const width = screenWidth(terminal);
  const title = shorten(showControls(titleOf(state)), Math.max(16, width - state.id.length - 2));
  const cost = describeCosts(modelCalls(state));
  const mark = [state.deleted ? '(deleted)' : [], from === undefined ? [] : `(sent out by ${from})`]
    .flat()
    .map((text) => `  ${style.odd(text)}`)
    .join('');
  const lines = [
    `${style.strong(state.id)}  ${title}${cost === undefined ? '' : `  ${style.faint(cost)}`}${mark}`,
    ...drawTree(state, { style, width, top }),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
