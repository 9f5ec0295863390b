import type { FileChange, ToolBlock } from '../content-block.ts';
import { isPlainObject } from '../values/plain-object.ts';
import type { PlainObject } from '../values/plain-object.ts';
import { blocksOfAcp, isAcp } from './acp.ts';
import { blocksOfCommandItem } from './commands/command.ts';
import { fieldIn, listIn, objectIn, textIn } from './foreign.ts';
import { parseHunks } from './files/hunks.ts';
import { imageOfBase64, imagesOfParts } from './media.ts';
import { hasFailed } from './outcome.ts';
import { todoBlocks } from './todo.ts';
import { diffTexts, formatDiff } from '../patch/unified-diff.ts';
import { blocksOfWebSearchItem } from './web.ts';

/**
 * Returns the views of a thing that is call and result in one: an item of Codex (`codex exec --json`, app-server, rollout)
 * or a tool call of an ACP agent. A running item is shown with its output so far.
 */
export function viewsOfItem(item: unknown): ToolBlock[] {
  if (!isPlainObject(item)) return [];
  const blocks = isAcp(item) ? blocksOfAcp(item) : (blocksOfType(item)?.(item) ?? []);
  return keepIfFailed(blocks, hasFailed(item));
}

/** True if `viewsOfItem` knows what this is, even if it has nothing to show. Older versions of Codex say that a patch was applied, not which. */
export function isItem(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const view = blocksOfType(value);
  return isAcp(value) || (view !== undefined && (view !== changeBlocks || fieldIn(value, 'changes') !== undefined));
}

/** Drops blocks that claim a change after a failure: a failed tool changed nothing. A command ran, and failed. */
export function keepIfFailed(blocks: ToolBlock[], failed: boolean): ToolBlock[] {
  return failed ? blocks.filter((block) => block.type === 'command') : blocks;
}

type ItemView = (item: PlainObject) => ToolBlock[];

/** `command_execution`, `commandExecution` and `CommandExecution` are the same type at Codex's three doors. */
function blocksOfType(item: PlainObject): ItemView | undefined {
  return itemViews.get((textIn(item, 'type') ?? '').replaceAll('_', '').toLowerCase());
}

const itemViews: ReadonlyMap<string, ItemView> = new Map<string, ItemView>([
  ['commandexecution', blocksOfCommandItem],
  ['filechange', changeBlocks],
  ['patchapplyend', changeBlocks],
  ['todolist', (item) => todoBlocks(listIn(item, 'items'))],
  ['websearch', blocksOfWebSearchItem],
  ['websearchcall', blocksOfWebSearchItem],
  // Codex extensions report results in this shape.
  ['extension', blocksOfWebSearchItem],
  ['dynamictoolcall', (item) => imagesOfParts(listIn(item, 'content_items', 'contentItems') ?? [])],
  ['mcptoolcall', (item) => imagesOfParts(listIn(objectIn(item, 'result'), 'content') ?? [])],
  ['imagegeneration', generatedImages],
  ['imagegenerationcall', generatedImages],
  ['localshellcall', (item) => blocksOfCommandItem({ ...objectIn(item, 'action') })],
]);

function generatedImages(item: PlainObject): ToolBlock[] {
  const image = imageOfBase64(textIn(item, 'result'));
  return image === undefined ? [] : [image];
}

/** `changes` is a list with paths, or in rollouts an object keyed by path. */
function changeBlocks(item: PlainObject): ToolBlock[] {
  const keyed = objectIn(item, 'changes');
  const list =
    keyed === undefined ? (listIn(item, 'changes') ?? []).map(readListed) : Object.entries(keyed).map(readKeyed);
  const changes = list.filter((change) => change !== undefined);
  return changes.length === 0 ? [] : [{ type: 'file-change', changes }];
}

/** `{path, kind, diff?}`. The app-server's `diff` of a new or deleted file is the file itself. */
function readListed(value: unknown): FileChange | undefined {
  const kind = objectIn(value, 'kind');
  const text = textIn(value, 'diff');
  return changeOf(
    textIn(value, 'path'),
    textIn(kind, 'type') ?? textIn(value, 'kind'),
    textIn(kind, 'move_path'),
    text,
  );
}

/** `[path, {type, content | unified_diff, move_path?}]`; before there was a `type`, `[path, {<type>: {…}}]`. */
function readKeyed([path, value]: [string, unknown]): FileChange | undefined {
  const tagged = ['add', 'delete', 'update'].find((type) => objectIn(value, type) !== undefined);
  const body = textIn(value, 'type') !== undefined || tagged === undefined ? value : fieldIn(value, tagged);
  const text = textIn(body, 'unified_diff', 'content');
  return changeOf(textIn({ path }, 'path'), textIn(value, 'type') ?? tagged, textIn(body, 'move_path'), text);
}

function changeOf(
  path: string | undefined,
  kind: string | undefined,
  moveTo: string | undefined,
  text: string | undefined,
): FileChange | undefined {
  if (path === undefined || path.trim() === '') return undefined;
  switch (kind) {
    case 'add':
      return withDiff(
        { path, kind },
        text === undefined ? undefined : formatDiff(undefined, path, diffTexts('', text)),
      );
    case 'delete':
      return withDiff(
        { path, kind },
        text === undefined ? undefined : formatDiff(path, undefined, diffTexts(text, '')),
      );
    case 'update':
    case 'modify': {
      const renamed = moveTo !== undefined && moveTo.trim() !== '' && moveTo !== path;
      const to = renamed ? moveTo : path;
      const hunks = text === undefined ? undefined : parseHunks(text);
      const diff = hunks === undefined ? undefined : formatDiff(path, to, hunks);
      return withDiff(renamed ? { path: to, kind: 'rename', from: path } : { path, kind: 'modify' }, diff);
    }
    default:
      return undefined;
  }
}

function withDiff(change: FileChange, diff: string | undefined): FileChange {
  return diff === undefined ? change : { ...change, diff };
}
