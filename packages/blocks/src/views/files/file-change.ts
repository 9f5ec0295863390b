import type { FileChange, ToolBlock } from '../../content-block.ts';
import type { Hunk } from '../../patch/hunk.ts';
import { applyEdits, editsIn } from './edits.ts';
import { fieldIn, integerIn, isSetIn, listIn, objectIn, textIn } from '../foreign.ts';
import { hunksFit, parseHunks, readHunks } from './hunks.ts';
import { parseNumberedDiff } from './numbered-diff.ts';
import type { Outcome } from '../outcome.ts';
import { pathIn } from '../path.ts';
import { diffPassages, diffTexts, formatDiff } from '../../patch/unified-diff.ts';
import { fromParameters } from '../view.ts';
import type { View } from '../view.ts';

/** Tools that replace passages of a file. */
export const editView: View = {
  ofCall: editFromParameters,
  ofResult(parameters, outcome) {
    const report = readReport(parameters, outcome);
    if (report.hunks === undefined && report.updated === undefined && report.original !== undefined) {
      const edits = editsIn(parameters) ?? editsIn(outcome.details);
      if (edits !== undefined) report.updated = applyEdits(report.original, edits);
    }
    return blocksOfReport(report) ?? editFromParameters(parameters);
  },
};

/** Tools that write a whole file. */
export const writeView: View = {
  ofCall: writeFromParameters,
  ofResult(parameters, outcome) {
    const report = readReport(parameters, outcome);
    report.updated ??= contentIn(outcome.details) ?? contentIn(parameters);
    const blocks = blocksOfReport(report);
    if (blocks !== undefined) return blocks;
    // The former content is lost, so there is nothing to compare with.
    if (report.existed === true && report.path !== undefined)
      return changeBlocks({ path: report.path, kind: 'modify' });
    return writeFromParameters(parameters);
  },
};

/** Claude Code's NotebookEdit: one cell of a notebook, reported with the whole file before and after. */
export const notebookEditView: View = {
  ofCall: cellFromParameters,
  ofResult(parameters, outcome) {
    const blocks = blocksOfReport(readReport(parameters, outcome));
    if (blocks !== undefined) return blocks;
    return cellFromParameters(parameters, textIn(outcome.details, 'old_source'));
  },
};

/** The `insert` command of Anthropic's text editor tool: the line is known, its surroundings are not. */
export const insertView: View = {
  ofCall: insertionFromParameters,
  ofResult: (parameters) => insertionFromParameters(parameters),
};

/** An agent's report about one changed file. */
interface Report {
  path: string | undefined;
  /** False if the file is new, `undefined` if that is not given. */
  existed: boolean | undefined;
  original: string | undefined;
  updated: string | undefined;
  hunks: Hunk[] | undefined;
}

function readReport(parameters: unknown, { details, text }: Outcome): Report {
  const original = textIn(details, 'originalFile', 'originalFileContents', 'originalContent', 'original_file');
  const diff = textIn(details, 'diff') ?? textIn(objectIn(details, 'filediff'), 'patch');
  const hunks =
    readHunks(listIn(details, 'structuredPatch')) ??
    (diff === undefined ? undefined : (parseHunks(diff) ?? parseNumberedDiff(diff)));
  return {
    path: pathIn(details) ?? pathIn(objectIn(details, 'filediff')) ?? pathIn(parameters),
    existed: didExist(details, text),
    original,
    updated: textIn(details, 'newContent', 'updated_file'),
    // A patch for display may have its white space altered; then the texts themselves are compared.
    hunks: hunks === undefined || original === undefined || hunksFit(original, hunks) ? hunks : undefined,
  };
}

function didExist(details: unknown, text = ''): boolean | undefined {
  const kind = textIn(details, 'type');
  if (kind === 'create' || isSetIn(details, 'isNewFile') || fieldIn(details, 'exists') === false) return false;
  if (kind === 'update' || fieldIn(details, 'isNewFile') === false || isSetIn(details, 'exists')) return true;
  // Sub-agents of Claude Code report no structure.
  if (text.startsWith('File created successfully')) return false;
  return text.startsWith('The file ') && text.includes(' has been updated') ? true : undefined;
}

function blocksOfReport({ path, existed, original, updated, hunks }: Report): ToolBlock[] | undefined {
  if (path === undefined) return undefined;
  if (existed === false && updated !== undefined) {
    return changeBlocks(changeOf('add', path, diffTexts('', updated)));
  }
  const known = hunks ?? (original === undefined || updated === undefined ? undefined : diffTexts(original, updated));
  return known === undefined ? undefined : changeBlocks(changeOf('modify', path, known));
}

function editFromParameters(parameters: unknown): ToolBlock[] {
  const path = pathIn(parameters);
  const edits = editsIn(parameters);
  if (path === undefined || edits === undefined) return [];
  const isNew = edits.length === 1 && edits[0]?.original === '';
  const hunks = isNew ? diffTexts('', edits[0]?.updated ?? '') : diffPassages(edits);
  return changeBlocks(changeOf(isNew ? 'add' : 'modify', path, hunks), true);
}

function writeFromParameters(parameters: unknown): ToolBlock[] {
  const path = pathIn(parameters);
  const content = contentIn(parameters);
  if (path === undefined || content === undefined) return [];
  return changeBlocks(changeOf('add', path, diffTexts('', content)), true);
}

function cellFromParameters(parameters: unknown, oldSource?: string): ToolBlock[] {
  const path = pathIn(parameters);
  if (path === undefined) return [];
  const mode = textIn(parameters, 'edit_mode') ?? 'replace';
  const source = textIn(parameters, 'new_source');
  const original = mode === 'insert' ? '' : oldSource;
  const updated = mode === 'delete' ? '' : source;
  const known = original !== undefined && updated !== undefined;
  return changeBlocks(changeOf('modify', path, known ? diffPassages([{ original, updated }]) : []), true);
}

function insertionFromParameters(parameters: unknown): ToolBlock[] {
  const path = pathIn(parameters);
  const line = integerIn(parameters, 'insert_line');
  const text = textIn(parameters, 'insert_text', 'new_str');
  if (path === undefined || line === undefined || line < 0 || text === undefined) return [];
  const hunks = diffPassages([{ original: '', updated: text }]);
  const placed = hunks.map((hunk) => ({ ...hunk, oldStart: line + 1, newStart: line + 1 }));
  return changeBlocks(changeOf('modify', path, placed), true);
}

function contentIn(value: unknown): string | undefined {
  return textIn(value, 'content', 'file_text', 'contents');
}

function changeOf(kind: 'add' | 'modify', path: string, hunks: readonly Hunk[]): FileChange {
  const diff = formatDiff(kind === 'add' ? undefined : path, path, hunks);
  return diff === undefined ? { path, kind } : { path, kind, diff };
}

function changeBlocks(change: FileChange, isAsked = false): ToolBlock[] {
  const block: ToolBlock = { type: 'file-change', changes: [change] };
  return [isAsked ? { ...block, metadata: { ...fromParameters } } : block];
}
