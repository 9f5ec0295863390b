import { deriveTitle, senderOf } from '@loom/kernel';
import { shorten } from '../../chat/drawing/cards.ts';
import { showControls } from '../../chat/drawing/column.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { timeAgo } from '../../forest-view/time-ago.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { listConversations, type ListedConversation } from '../../runtime/conversations.ts';
import { nameAmong } from '../../runtime/named-place.ts';
import { mostChecked, withReader } from '../../runtime/opened-folder.ts';
import { styleFor, type Style } from '../../terminal/style.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { screenWidth } from '../../terminal/terminal.ts';
import { orFail } from '../../words/refusal-error.ts';

/** `loom ls` */
export function listRoots(call: Call): Promise<ExitCode> {
  const { options, dataDir, isJson, terminal } = call;
  return withReader({ dataDir, note: noteOf(terminal, isJson) }, async (loom) => {
    const { lost, damaged: unreadable } = loom;
    const deleted = options.has('deleted');
    const archived = options.has('archived') ? ('only' as const) : deleted ? ('with' as const) : ('without' as const);
    // Edits of files come first. A list is made without a look into logs: damage in the latest is found here.
    const { items: recent } = orFail(await loom.call('root.list', { deleted, archived, limit: mostChecked }));
    for (const { id } of recent) {
      await loom.check(id);
      await loom.verify(id);
    }
    const roots = await listConversations(loom, { deleted, archived });
    if (isJson) {
      for (const { id, nodes, created, updated, tags, archived: isArchived, project, ...root } of roots) {
        const title = titleIn(root);
        const { config } = root;
        const damaged = root.damaged ?? unreadable.get(id)?.message;
        const lost_change = lost.get(id)?.seq;
        terminal.out(
          `${JSON.stringify({ id, title: shorten(title, 80), nodes, created, updated, tags, deleted, archived: isArchived, project, config, damaged, lost_change })}\n`,
        );
      }
      // A conversation no longer listed is a row all the same: it must not be gone without a word.
      const listed = new Set(roots.map(({ id }) => id));
      for (const [log, { seq }] of lost)
        if (!listed.has(log)) terminal.out(`${JSON.stringify({ id: log, lost_change: seq })}\n`);
      return EXIT.ok;
    }
    const ids = roots.map(({ id }) => id);
    const [style, width] = [styleFor(terminal, 'out'), screenWidth(terminal)];
    const lines = roots.map(({ id, nodes, updated, ...root }) => {
      const title = titleIn(root);
      const sender = senderOf(root.config);
      const from = sender === undefined ? '' : `, sent out by ${nameAmong(ids, sender)}`;
      const known = `${timeAgo(Date.parse(updated))}, ${nodes} ${nodes === 1 ? 'node' : 'nodes'}${lost.has(id) ? ', log lost' : ''}${from}`;
      const mark = unreadable.get(id)?.code === 'store-denied' ? 'no permission' : 'damaged';
      const facts = root.damaged === undefined && !unreadable.has(id) ? known : mark;
      return `${rootLine({ id, title, facts }, style, width)}\n`;
    });
    // At once: writing each line takes as long as making it.
    if (lines.length > 0) terminal.out(lines.join(''));
    if (roots.length === 0) {
      terminal.note(
        deleted || archived === 'only'
          ? `No conversation is ${deleted ? 'deleted' : 'archived'}.\n`
          : `There is no conversation in ${dataDir}. To start one: ${suggest('chat')}\n`,
      );
    }
    return EXIT.ok;
  });
}

function titleIn({ title, opening, damaged }: Pick<ListedConversation, 'title' | 'opening' | 'damaged'>): string {
  if (damaged !== undefined) return '(cannot be read)';
  return title ?? showControls(deriveTitle(opening));
}

function rootLine(root: { id: string; title: string; facts: string }, style: Style, width: number): string {
  const { id, title, facts } = root;
  const room = Math.max(16, width - id.length - facts.length - 4);
  const shown = shorten(showControls(title), room) || '(empty)';
  return `${style.faint(id)}  ${style.strong(shown)}  ${style.faint(facts)}`;
}
