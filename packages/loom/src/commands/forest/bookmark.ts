import { shorten } from '../../chat/drawing/cards.ts';
import { showControls } from '../../chat/drawing/column.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError } from '../../command-line/failure.ts';
import { shortName, titleOf } from '../../forest-view/node-line.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { listReadable } from '../../runtime/conversations.ts';
import { findPlace } from '../../runtime/named-place.ts';
import { withReader } from '../../runtime/opened-folder.ts';
import { withPresentData } from '../../runtime/present-data.ts';
import { orFail } from '../../words/refusal-error.ts';
import { styleFor } from '../../terminal/style.ts';
import { suggest } from '../../command-line/suggested-command.ts';

/** `loom bookmark add <node> [title…]` */
export function addBookmark({ words, dataDir, store, isJson, terminal }: Call): Promise<ExitCode> {
  return withPresentData({ dataDir, store }, async (loom) => {
    const [word = '', ...rest] = words;
    const { root, node } = await findPlace(loom, word);
    const title = rest.join(' ');
    await loom.open(root);
    orFail(await loom.call('node.bookmark', { node, title }));
    if (isJson) terminal.out(`${JSON.stringify({ ok: true, root, node, title })}\n`);
    else terminal.out(`Bookmarked ${shortName(node)}. It and what leads to it cannot be deleted now.\n`);
    return EXIT.ok;
  });
}

/** `loom bookmark remove <node>` */
export function removeBookmark({ words, dataDir, store, isJson, terminal }: Call): Promise<ExitCode> {
  return withPresentData({ dataDir, store }, async (loom) => {
    const { root, node } = await findPlace(loom, words[0] ?? '');
    if (!(await loom.open(root)).bookmarks.has(node)) {
      throw new LoomError('not-bookmarked', `${shortName(node)} has no bookmark`, {
        advice: `${suggest('bookmark')} lists them.`,
      });
    }
    orFail(await loom.call('node.bookmark', { node, title: null }));
    if (isJson) terminal.out(`${JSON.stringify({ ok: true, root, node })}\n`);
    else terminal.out(`${shortName(node)} is no longer bookmarked.\n`);
    return EXIT.ok;
  });
}

/** `loom bookmark list` */
export function listBookmarks({ dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  return withReader({ dataDir, note: noteOf(terminal, isJson) }, async (loom) => {
    const style = styleFor(terminal, 'out');
    let count = 0;
    for (const root of await listReadable(loom)) {
      const state = await loom.peek(root);
      if (state === undefined) continue;
      for (const [node, title] of state.bookmarks) {
        count += 1;
        const about = shorten(showControls(titleOf(state)), 50);
        if (isJson) terminal.out(`${JSON.stringify({ root, node, title })}\n`);
        else
          terminal.out(`★ ${style.strong(showControls(title) || shortName(node))}  ${about}  ${style.faint(node)}\n`);
      }
    }
    if (count === 0 && !isJson)
      terminal.note(`There are no bookmarks. To add one: ${suggest('bookmark add <node> [title]')}\n`);
    return EXIT.ok;
  });
}
