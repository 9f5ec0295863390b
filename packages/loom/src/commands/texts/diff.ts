import type { ResultOf } from '@loom/kernel';
import { renderBlock } from '../../chat/drawing/cards.ts';
import { Column, type Line } from '../../chat/drawing/column.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError } from '../../command-line/failure.ts';
import { shortName } from '../../forest-view/node-line.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { findPlaceToShow } from '../../runtime/named-place.ts';
import { withReader } from '../../runtime/opened-folder.ts';
import { orFail } from '../../words/refusal-error.ts';
import { styleFor } from '../../terminal/style.ts';
import { suggest } from '../../command-line/suggested-command.ts';

type BlockDifference = ResultOf<'tree.diff'>['blocks'][number];
type PlacedBlock = Extract<BlockDifference, { type: 'only-left' }>['left'];

/** `loom diff <a> <b>` */
export function diffNodes({ words, dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  return withReader({ dataDir, note: noteOf(terminal, isJson) }, async (loom) => {
    const left = await findPlaceToShow(loom, words[0] ?? '', noteOf(terminal, isJson));
    const right = orFail(await loom.call('id.resolve', { text: words[1] ?? '', root: left.root }));
    if (left.root !== right.root) {
      throw new LoomError('invalid-params', 'the two belong to different conversations, which have nothing in common', {
        advice: `Name two nodes of one tree: ${suggest('tree')} shows them.`,
      });
    }
    await loom.open(left.root);
    const difference = orFail(await loom.call('tree.diff', { left: left.node, right: right.node }));
    if (isJson) {
      terminal.out(`${JSON.stringify({ ok: true, root: left.root, ...difference })}\n`);
      return EXIT.ok;
    }
    const column = new Column(terminal.out, styleFor(terminal, 'out'), terminal.screen.isOut);
    const { ancestor, blocks } = difference;
    const where = ancestor === left.root ? 'from the beginning' : `after ${shortName(ancestor)}`;
    column.addLines([
      { text: `--- ${shortName(left.node)}`, tone: 'bad' },
      { text: `+++ ${shortName(right.node)}`, tone: 'good' },
      { text: blocks.length === 0 ? 'They are the same.' : `They differ ${where}:`, tone: 'faint' },
    ]);
    for (const one of blocks) column.addLines(renderDifference(one));
    return EXIT.ok;
  });
}

function renderDifference(difference: BlockDifference): Line[] {
  switch (difference.type) {
    case 'same':
      return [{ text: '' }, { text: `  ${headOf(difference.left)} = ${headOf(difference.right)}`, tone: 'faint' }];
    case 'only-left':
      return [{ text: '' }, { text: headOf(difference.left), tone: 'strong' }, ...taken(linesOf(difference.left))];
    case 'only-right':
      return [{ text: '' }, { text: headOf(difference.right), tone: 'strong' }, ...added(linesOf(difference.right))];
    case 'changed':
      return [
        { text: '' },
        { text: `${headOf(difference.left)} → ${headOf(difference.right)}`, tone: 'strong' },
        ...changed(linesOf(difference.left), linesOf(difference.right)),
      ];
  }
}

function headOf({ node, block }: PlacedBlock): string {
  return `${shortName(node)} ${block.type}`;
}

function linesOf({ block }: PlacedBlock): string[] {
  return renderBlock(block).map(({ text }) => text);
}

/** Returns both texts without the lines that they begin and end with in common. */
function changed(left: readonly string[], right: readonly string[]): Line[] {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  return [
    ...same(left.slice(0, start)),
    ...taken(left.slice(start, left.length - end)),
    ...added(right.slice(start, right.length - end)),
    ...same(left.slice(left.length - end)),
  ];
}

function same(lines: readonly string[]): Line[] {
  if (lines.length === 0) return [];
  return [{ text: `  … ${lines.length} ${lines.length === 1 ? 'line' : 'lines'} in common`, tone: 'faint' }];
}

function taken(lines: readonly string[]): Line[] {
  return lines.map((line) => ({ text: `- ${line}`, tone: 'bad' }));
}

function added(lines: readonly string[]): Line[] {
  return lines.map((line) => ({ text: `+ ${line}`, tone: 'good' }));
}
