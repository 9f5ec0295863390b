import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError } from '../../command-line/failure.ts';
import type { Loom } from '../../runtime/loom.ts';
import { withReader } from '../../runtime/opened-folder.ts';
import { withPresentData } from '../../runtime/present-data.ts';
import { tellEdit } from '../../texts/edit-report.ts';
import { readText } from '../../texts/text-input.ts';
import { findText, type TextPlace } from '../../texts/text-place.ts';
import { refusalError } from '../../words/refusal-error.ts';
import { suggest } from '../../command-line/suggested-command.ts';

/** `loom patch <block> [file]` */
export async function patchBlock(call: Call): Promise<ExitCode> {
  const { words, options, dataDir, store, isJson, terminal } = call;
  const [word = '', file = '-'] = words;
  const patch = await readText(file, 'The patch', terminal);
  const isTrial = options.has('dry-run');
  const work = async (loom: Loom): Promise<ExitCode> => {
    const place = await findText(loom, word);
    const { root, id } = place;
    const { version, offsets } = await apply(loom, place, patch, isTrial);
    if (version !== undefined) {
      await tellEdit(loom, place, version, call, { facts: { offsets } });
      if (!isJson) terminal.note(offsets.map(describeHunk).join(''));
    } else if (isJson) {
      terminal.out(`${JSON.stringify({ ok: true, root, block_id: id, offsets, dry_run: true })}\n`);
    } else {
      terminal.out(`The patch would apply to ${place.name}; nothing was changed.\n`);
      terminal.note(offsets.map(describeHunk).join(''));
    }
    return EXIT.ok;
  };
  // A trial changes nothing, so that another process may be writing meanwhile.
  return isTrial ? withReader({ dataDir, files: false }, work) : withPresentData({ dataDir, store }, work);
}

async function apply(
  loom: Loom,
  place: TextPlace,
  patch: string,
  isTrial: boolean,
): Promise<{ version?: number; offsets: number[] }> {
  const { id, name, word } = place;
  const outcome = await loom.call('block.apply_patch', { block_id: id, patch, dry_run: isTrial });
  if (outcome.ok) return { offsets: [], ...outcome.value };
  const { refusal } = outcome;
  if (refusal.reason !== 'patch-failed') throw refusalError(refusal);
  const { errors } = refusal;
  const [first = 'the patch does not apply', ...others] = errors;
  throw new LoomError('patch-refused', first, {
    advice: [...others, `${name} is as it was. To see its text: ${suggest(`read ${word} --plain`)}`].join('\n'),
    details: { errors },
  });
}

function describeHunk(offset: number, index: number): string {
  const lines = `${Math.abs(offset)} ${Math.abs(offset) === 1 ? 'line' : 'lines'}`;
  const where = offset === 0 ? 'where it says' : `${lines} ${offset > 0 ? 'below' : 'above'} where it says`;
  return `Hunk ${index + 1}: ${where} (offset ${offset}).\n`;
}
