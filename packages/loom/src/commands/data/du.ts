import { renderBlockAsText } from '@loom/blocks';
import { explainArchives } from '../../archive/archive-failure.ts';
import { measureUsage, usageParts } from '@loom/data-folder/upkeep';
import { count, describeBytes, Progress } from '../../terminal/progress.ts';
import { noteOf } from '../../runtime/files-note.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError } from '../../command-line/failure.ts';
import { withReader } from '../../runtime/opened-folder.ts';
import type { OpenedFolder } from '../../runtime/opened-folder.ts';
import { styleFor } from '../../terminal/style.ts';
import { friendlyPath } from '../config/config-view.ts';

/** `loom du`: what takes how much room. */
export function showUsage({ dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  return explainArchives(async () => {
    const usage = await measureUsage(dataDir);
    const total = usageParts.reduce((sum, part) => sum + usage[part], 0);
    if (total === 0) {
      throw new LoomError('no-data', `there is no data in ${dataDir}`, {
        advice: 'Name the folder with your data with --data-dir.',
      });
    }
    const progress = new Progress(noteOf(terminal, isJson));
    const { bytes: text, roots } = await withReader({ dataDir }, (loom) => measureText(loom, progress));
    if (isJson) {
      const parts = Object.fromEntries(usageParts.map((part) => [part.replaceAll(/\W/gu, '_'), usage[part]]));
      terminal.out(`${JSON.stringify({ ok: true, parts, total, text, conversations: roots })}\n`);
      return EXIT.ok;
    }
    const style = styleFor(terminal, 'out');
    const row = (name: string, bytes: number): string => {
      const ratio = text === 0 ? '' : `${(bytes / text).toFixed(2)} × text`;
      return `${name.padEnd(20)}${describeBytes(bytes).padStart(10)}${style.faint(ratio.padStart(16))}\n`;
    };
    for (const part of usageParts) if (usage[part] > 0) terminal.out(row(part, usage[part]));
    terminal.out(row('all together', total));
    const where = friendlyPath(dataDir, terminal);
    terminal.out(style.faint(`${describeBytes(text)} of text in ${count(roots, 'conversation')}, in ${where}\n`));
    return EXIT.ok;
  });
}

/** How many conversations there are, and how many bytes of text all their blocks hold at present, those of deleted messages too. */
async function measureText({ engine }: OpenedFolder, progress: Progress): Promise<{ bytes: number; roots: number }> {
  const roots = await engine.forest.roots();
  let [bytes, present] = [0, 0];
  for (const [index, root] of roots.entries()) {
    const log = engine.forest.log(root);
    const { nodes, deleted } = await log.state();
    // Of a conversation that was purged nothing is left but its number.
    if (!deleted || nodes.size > 0) present += 1;
    for (const { blocks } of nodes.values()) {
      for (const block of blocks) bytes += Buffer.byteLength(renderBlockAsText(block));
    }
    await log.release();
    progress.tick(() => `reading: ${index + 1} of ${count(roots.length, 'conversation')}`);
  }
  return { bytes, roots: present };
}
