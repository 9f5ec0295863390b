import type { RootState } from '@loom/kernel';
import { shorten } from '../chat/cards.ts';
import { showControls } from '../chat/column.ts';
import type { Call } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { titleOf } from '../forest-view/node-line.ts';
import { timeAgo } from '../forest-view/time-ago.ts';
import { withReader } from '../runtime/open-loom.ts';
import { styleFor, type Style } from '../style.ts';
import { screenWidth } from '../terminal.ts';

/** `loom ls` */
export function listRoots({ options, dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  return withReader({ dataDir }, async ({ engine }) => {
    const deleted = options.has('deleted');
    const roots = (await engine.forest.listRoots({ deleted })).sort((one, other) => other.updated - one.updated);
    if (isJson) {
      for (const { id, nodes, created, updated, tags, ...root } of roots) {
        const title = titleOf(await engine.forest.log(id).state());
        const times = { created: new Date(created).toISOString(), updated: new Date(updated).toISOString() };
        const config = root.config;
        terminal.out(`${JSON.stringify({ id, title: shorten(title, 80), nodes, ...times, tags, deleted, config })}\n`);
      }
      return EXIT.ok;
    }
    for (const { id, nodes, updated } of roots) {
      const state = await engine.forest.log(id).state();
      const facts = `${timeAgo(updated)}, ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`;
      terminal.out(`${rootLine(state, facts, styleFor(terminal, 'out'), screenWidth(terminal))}\n`);
    }
    if (roots.length === 0) {
      terminal.note(
        deleted
          ? 'No conversation is deleted.\n'
          : 'There is no conversation yet. Start one with loom chat, or see loom demo.\n',
      );
    }
    return EXIT.ok;
  });
}

function rootLine(state: RootState, facts: string, style: Style, width: number): string {
  const room = Math.max(16, width - state.id.length - facts.length - 4);
  const title = shorten(showControls(titleOf(state)), room) || '(empty)';
  return `${style.faint(state.id)}  ${style.strong(title)}  ${style.faint(facts)}`;
}
