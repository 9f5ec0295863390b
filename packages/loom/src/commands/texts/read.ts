import { showControls } from '../../chat/drawing/column.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { UsageError } from '../../command-line/failure.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { withReader } from '../../runtime/opened-folder.ts';
import { readLineRange } from '../../texts/line-range.ts';
import { numberOption, textOption } from '../../texts/number-option.ts';
import { findText } from '../../texts/text-place.ts';
import { orFail } from '../../words/refusal-error.ts';
import { readBlob } from './read-blob.ts';

/** `loom read <block>` */
export function readBlock(call: Call): Promise<ExitCode> {
  const { words, options, dataDir, isJson, terminal } = call;
  if (words[0]?.startsWith('sha256:') === true) return readBlob(call);
  const wanted = textOption(options, 'lines');
  const lines = wanted === undefined ? undefined : readLineRange('lines', wanted);
  const version = numberOption(options, 'at', 0);
  const isPlain = options.has('plain');
  if (isPlain && isJson) throw new UsageError('bad-option', '--plain and --json exclude each other');
  return withReader({ dataDir, note: noteOf(terminal, isJson) }, async (loom) => {
    const place = await findText(loom, words[0] ?? '', { choose: noteOf(terminal, isJson) });
    const { id, root } = place;
    const answer = await loom.call('block.read', {
      block_id: id,
      line_numbers: !isPlain && !isJson,
      ...(lines === undefined ? {} : { range: { start: lines.start, end: lines.end ?? Number.MAX_SAFE_INTEGER } }),
      ...(version === undefined ? {} : { version }),
    });
    const text = orFail(answer, { text: place });
    if (isJson) {
      terminal.out(`${JSON.stringify({ ok: true, root, block_id: id, ...text })}\n`);
      return EXIT.ok;
    }
    const { content, kind, status, line_count: count } = text;
    if (!isPlain) {
      const facts = `version ${text.version}, ${status}, ${count} ${count === 1 ? 'line' : 'lines'}`;
      terminal.note(`${id}  ${kind}, ${facts}\n`);
    }
    const shown = terminal.screen.isOut ? showControls(content) : content;
    // Only a plain text is the text itself; numbered lines are all complete.
    terminal.out(isPlain || shown === '' || shown.endsWith('\n') ? shown : `${shown}\n`);
    return EXIT.ok;
  });
}
