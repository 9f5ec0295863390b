import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { withPresentData } from '../../runtime/present-data.ts';
import { readLineEdit } from '../../texts/line-edit-options.ts';
import { numberOption } from '../../texts/number-option.ts';
import { tellEdit } from '../../texts/edit-report.ts';
import { findText } from '../../texts/text-place.ts';
import { orFail } from '../../words/refusal-error.ts';

/** `loom edit-lines <block>` */
export async function editLines(call: Call): Promise<ExitCode> {
  const { words, options, dataDir, store } = call;
  const base = numberOption(options, 'base-version', 0);
  const edit = await readLineEdit(call);
  return withPresentData({ dataDir, store }, async (loom) => {
    const place = await findText(loom, words[0] ?? '');
    const { id } = place;
    const at = base === undefined ? {} : { version: base };
    const { line_count: count } = orFail(await loom.call('block.read', { block_id: id, ...at }), { text: place });
    const answer = await loom.call('block.edit', {
      block_id: id,
      operations: edit(count),
      ...(base === undefined ? {} : { base_version: base }),
    });
    await tellEdit(loom, place, orFail(answer, { text: place }).version, call);
    return EXIT.ok;
  });
}
