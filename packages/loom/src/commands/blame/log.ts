import { textOption } from '../../chat/answerer.ts';
import { shorten } from '../../chat/drawing/cards.ts';
import { showControls } from '../../chat/drawing/column.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { requireData } from '../../runtime/present-data.ts';
import { withReader } from '../../runtime/opened-folder.ts';
import { createCommandIndex } from '../../texts/search-index.ts';
import { count } from '../../terminal/progress.ts';
import { styleFor } from '../../terminal/style.ts';
import { orFail } from '../../words/refusal-error.ts';
import { commitWords, turnWords } from './turn-words.ts';

/** `loom log [--commit <commit>]` */
export async function showCommit({ options, dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  const commit = textOption(options, 'commit') ?? 'HEAD';
  await requireData(dataDir);
  const index = createCommandIndex(dataDir);
  return withReader({ dataDir, index, note: noteOf(terminal, isJson) }, async (loom) => {
    const found = orFail(await loom.call('commit.turns', { directory: process.cwd(), commit }));
    await index.close();
    if (isJson) {
      terminal.out(`${JSON.stringify(found)}\n`);
      return EXIT.ok;
    }
    const style = styleFor(terminal, 'out');
    terminal.out(`${style.strong(showControls(commitWords(found.commit)))}\n`);
    for (const { lines, committed, ...turn } of found.turns) {
      const part = [
        ...(lines === 0 ? [] : [`wrote ${count(lines, 'line')}`]),
        ...(committed ? ['made the commit'] : []),
      ];
      terminal.out(
        `  ${showControls(turnWords(turn))} · ${part.join(', ')}\n    ${style.faint(suggest(`show ${turn.node}`))}\n`,
      );
    }
    for (const { root, root_title: title, opening } of found.began) {
      terminal.out(
        `  ${showControls(shorten(title ?? opening, 60))} · began at this commit\n    ${style.faint(suggest(`show ${root}`))}\n`,
      );
    }
    const unknown = found.added - found.known;
    if (found.added > 0) {
      const words =
        unknown === 0
          ? 'All added lines are known.'
          : `Of ${count(found.added, 'added line')}, ${unknown} are not known to be of a turn.`;
      terminal.note(`${words}\n`);
    } else terminal.note('It added no line to a text file.\n');
    if (!found.complete) terminal.note('Not everything could be looked at.\n');
    return EXIT.ok;
  });
}
