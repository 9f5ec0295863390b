import { measureTexts } from '@loom/kernel';
import { explainArchives } from '../../archive/archive-failure.ts';
import { measureUsage, usageParts } from '@loom/data-folder/upkeep';
import { count, describeBytes, Progress } from '../../terminal/progress.ts';
import { noteOf } from '../../runtime/files-note.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError } from '../../command-line/failure.ts';
import { withReader } from '../../runtime/opened-folder.ts';
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
    const { bytes: text, conversations: roots } = await withReader({ dataDir }, ({ engine }) =>
      measureTexts(engine.forest, {
        report: (done, all) => progress.tick(() => `reading: ${done} of ${count(all, 'conversation')}`),
      }),
    );
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
