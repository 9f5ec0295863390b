import { Column, showControls } from '../../chat/drawing/column.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { UsageError } from '../../command-line/failure.ts';
import { timeAgo } from '../../forest-view/time-ago.ts';
import { noteOf } from '../../runtime/files-note.ts';
import type { Loom } from '../../runtime/loom.ts';
import { withReader } from '../../runtime/opened-folder.ts';
import { styleFor, type Style } from '../../terminal/style.ts';
import { renderDiff } from '../../texts/diff-lines.ts';
import { numberOption, readNumber, textOption } from '../../texts/number-option.ts';
import { findText, type TextPlace } from '../../texts/text-place.ts';
import { orFail } from '../../words/refusal-error.ts';
import { spellSize } from '../../texts/undo-report.ts';
import { foldVersions, type VersionRow } from '../../texts/version-rows.ts';

/** `loom history <block>` */
export function showHistory(call: Call): Promise<ExitCode> {
  const { words, options, dataDir, terminal, isJson } = call;
  const limit = numberOption(options, 'limit', 1);
  const wanted = textOption(options, 'diff');
  const versions = wanted === undefined ? undefined : readVersions(wanted);
  if (limit !== undefined && versions !== undefined) {
    throw new UsageError('bad-option', '--limit and --diff exclude each other');
  }
  return withReader({ dataDir, note: noteOf(terminal, isJson) }, async (loom) => {
    const place = await findText(loom, words[0] ?? '', { choose: noteOf(terminal, isJson) });
    await (versions === undefined ? listVersions(loom, place, limit, call) : compare(loom, place, versions, call));
    return EXIT.ok;
  });
}

function readVersions(text: string): { from_version: number; to_version?: number } {
  const [first = '', second, ...others] = text.split(':');
  const [from, to] = [readNumber(first), second === undefined ? undefined : readNumber(second)];
  if (from !== undefined && (to !== undefined || second === undefined) && others.length === 0) {
    return to === undefined ? { from_version: from } : { from_version: from, to_version: to };
  }
  throw new UsageError('bad-option', `--diff needs one version or two, not ${JSON.stringify(text)}`, {
    advice: '2:5 compares the versions 2 and 5; 2 compares it with the newest.',
  });
}

async function compare(
  loom: Loom,
  place: TextPlace,
  versions: { from_version: number; to_version?: number },
  { isJson, terminal }: Call,
): Promise<void> {
  const { root, id } = place;
  const answer = orFail(await loom.call('block.diff', { block_id: id, ...versions }), { text: place });
  if (isJson) terminal.out(`${JSON.stringify({ ok: true, root, block_id: id, ...answer })}\n`);
  else if (answer.diff === '') terminal.note('They say the same.\n');
  else new Column(terminal.out, styleFor(terminal, 'out'), terminal.screen.isOut).addLines(renderDiff(answer.diff));
}

async function listVersions(
  loom: Loom,
  place: TextPlace,
  limit: number | undefined,
  { isJson, terminal }: Call,
): Promise<void> {
  const answer = await loom.call('block.history', { block_id: place.id, ...(limit === undefined ? {} : { limit }) });
  const versions = orFail(answer, { text: place });
  if (isJson) {
    for (const version of versions) terminal.out(`${JSON.stringify(version)}\n`);
    return;
  }
  const rows = foldVersions(versions).map(describeRow);
  const widths = rows.reduce<number[]>(
    (known, row) => row.map((cell, at) => Math.max(cell.length, known[at] ?? 0)),
    [],
  );
  const style = styleFor(terminal, 'out');
  for (const row of rows) terminal.out(`${renderRow(row, widths, style)}\n`);
  const [first] = versions;
  if (first !== undefined && first.version > 1) terminal.note('There are older versions: --limit shows more.\n');
}

function describeRow({ first, last, inserted, deleted }: VersionRow): string[] {
  const versions = first === last ? `${first.version}` : `${first.version}–${last.version}`;
  const what = first === last ? first.what.join(', ') : 'streamed';
  const agent = showControls(first.agent);
  return [versions, timeAgo(Date.parse(last.time)), agent, what, spellSize(inserted, deleted), last.status];
}

function renderRow(row: readonly string[], widths: readonly number[], style: Style): string {
  const [version = '', when = '', ...rest] = row.map((cell, at) => cell.padEnd(widths[at] ?? 0));
  return [style.strong(version), style.faint(when), ...rest].join('  ').trimEnd();
}
