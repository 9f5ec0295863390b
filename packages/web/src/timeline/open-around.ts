import type { MessageBlock, ToolBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import type { Folds } from '../blocks/folding/folds.ts';
import { presentText } from '../blocks/output-lines.ts';
import { lateViews } from '../blocks/tools/late-views.ts';
import type { Row, ToolRow, WantedBlock } from '../conversation/rows.ts';
import { holdsBlock } from './steps.ts';

/** The access to the contents of blocks and messages. */
interface Contents {
  block(id: string): MessageBlock | undefined;
  readonly nodes: ReadonlyMap<string, NodeState>;
}

/** Opens everything in a row that may hide a block, or the words that were found in it: the group of its call, its card, and long outputs. */
export function openAround(
  row: Row,
  { block: id, node, match }: WantedBlock & { match: string },
  contents: Contents,
  folds: Folds,
): void {
  if (row.kind === 'tools') {
    folds.set(row.key, true);
    for (const call of row.calls) if (holdsBlock(call, id, node)) openCard(call, match, contents, folds);
    return;
  }
  if (row.kind === 'tool') return openCard(row, match, contents, folds);
  if (row.kind === 'notice') folds.set(row.key, true);
  const block = contents.block(id);
  if (block?.type === 'thinking' || block?.type === 'raw') folds.set(id, true);
  if (block !== undefined) openView(id, block, match, folds);
  return undefined;
}

function openCard({ block, result }: ToolRow, match: string, contents: Contents, folds: Folds): void {
  folds.set(block, true);
  const call = contents.block(block);
  if (call?.type !== 'tool-use') return;
  if (isBelowFirstLines(JSON.stringify(call.parameters, null, 2), match)) folds.set(`${block} input lines`, true);
  const answer = contents.nodes.get(result ?? '');
  // The body of the card, which shows them, comes with the readers.
  lateViews.whenLoaded((viewsOf) => {
    for (const [index, view] of viewsOf(call, answer).entries()) openView(`${block} ${index}`, view, match, folds);
  });
}

function openView(id: string, view: MessageBlock | ToolBlock, match: string, folds: Folds): void {
  if (view.type === 'file-change') {
    for (const [index, { diff = '', path }] of view.changes.entries()) {
      if (!has(diff, match) && !has(path, match)) continue;
      folds.set(`${id} ${index} diff`, true);
      folds.set(`${id} ${index} rows`, true);
    }
  } else if (isBelowFirstLines(printedText(view), match)) folds.set(`${id} lines`, true);
}

function printedText(view: MessageBlock | ToolBlock): string {
  switch (view.type) {
    case 'command':
      return [presentText(view.stdout), presentText(view.stderr)].join('\n');
    case 'code':
      return view.content;
    case 'text':
    case 'thinking':
      return view.text;
    case 'error':
      return view.message;
    default:
      return '';
  }
}

/** Outputs show their first ten lines by themselves, with the command above them. */
const surelyShown = 8;

function isBelowFirstLines(text: string, match: string): boolean {
  const at = match === '' ? -1 : text.toLowerCase().indexOf(match.toLowerCase());
  return at >= 0 && text.slice(0, at).split('\n').length > surelyShown;
}

function has(text: string, match: string): boolean {
  return match !== '' && text.toLowerCase().includes(match.toLowerCase());
}
