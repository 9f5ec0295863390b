import { resolve } from 'node:path';
import type { ResultOf } from '@loom/kernel';
import { textOption } from '../../chat/answerer.ts';
import { showControls } from '../../chat/drawing/column.ts';
import { shorten } from '../../chat/drawing/cards.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { UsageError } from '../../command-line/failure.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { findPlace } from '../../runtime/named-place.ts';
import { requireData } from '../../runtime/present-data.ts';
import { withReader } from '../../runtime/opened-folder.ts';
import { createCommandIndex } from '../../texts/search-index.ts';
import { count } from '../../terminal/progress.ts';
import { styleFor } from '../../terminal/style.ts';
import { orFail } from '../../words/refusal-error.ts';
import { commitWords, turnWords } from './turn-words.ts';

type Blame = ResultOf<'file.blame'>;

/** `loom blame <file>[:<line>[-<line>]]` */
export async function blameLines({ words, options, dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  const { path, ...range } = readPlace(words[0] ?? '');
  await requireData(dataDir);
  const index = createCommandIndex(dataDir);
  return withReader({ dataDir, index, note: noteOf(terminal, isJson) }, async (loom) => {
    const named = textOption(options, 'root');
    const only = named === undefined ? {} : { root: (await findPlace(loom, named)).root };
    const blame = orFail(await loom.call('file.blame', { path: resolve(path), ...only, ...range }));
    await index.close();
    if (isJson) {
      terminal.out(`${JSON.stringify(blame)}\n`);
      return EXIT.ok;
    }
    const style = styleFor(terminal, 'out');
    const wide = String(range.end_line ?? blame.lines).length;
    for (const { start, end, turn, commit } of blame.ranges) {
      const writer = turn === undefined ? undefined : blame.turns[turn];
      const facts = commit === undefined ? undefined : blame.commits[commit];
      const committed = facts === undefined ? 'not committed' : commitWords(facts);
      const heading = writer === undefined ? 'not known' : turnWords(writer);
      terminal.out(`${style.strong(showControls(heading))}  ${style.faint(showControls(committed))}\n`);
      if (writer !== undefined) terminal.out(`${style.faint(suggest(`show ${writer.node}`))}\n`);
      for (let line = start; line <= end; line += 1) {
        const text = blame.text[line - (range.line ?? 1)] ?? '';
        terminal.out(`${style.faint(String(line).padStart(wide))}  ${showControls(text)}\n`);
      }
    }
    for (const note of notesOn(blame)) terminal.note(`${showControls(note)}\n`);
    return EXIT.ok;
  });
}

/** Says what is not known, and where it may come from. */
function notesOn({ ranges, commands, complete, conversations, lines }: Blame): string[] {
  const unknown = ranges.reduce((sum, { turn, start, end }) => (turn === undefined ? sum + end - start + 1 : sum), 0);
  if (lines === 0) return ['The file is empty.'];
  return [
    ...(unknown > 0 && conversations === 0 ? ['No conversation is known to have changed this file.'] : []),
    ...(unknown > 0 && commands.length > 0
      ? [
          `These commands name the file; what they changed was not recorded:`,
          ...commands.map(({ block, command }) => `  ${block}  ${shorten(command, 80)}`),
        ]
      : []),
    ...(complete ? [] : [`Not everything could be looked at, so ${count(unknown, 'line')} may have a turn after all.`]),
  ];
}

/** Reads `path`, `path:12` or `path:12-20`. A path that holds such an ending itself is named with a line after it. */
function readPlace(word: string): { path: string; line?: number; end_line?: number } {
  const { path = word, line, last } = /^(?<path>.+?):(?<line>\d+)(?:[-,](?<last>\d+))?$/u.exec(word)?.groups ?? {};
  if (line === undefined) return { path };
  const [first, end] = [Number(line), Number(last ?? line)];
  if (first < 1 || end < first) {
    throw new UsageError(
      'bad-place',
      `${word} names no lines: they are counted from 1, and the last follows the first`,
    );
  }
  return { path, line: first, end_line: end };
}
