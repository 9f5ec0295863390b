import type { FileChange, ToolBlock } from '../../content-block.ts';
import { cleanText, isBlank } from '../../text/clean-text.ts';
import { countLines } from '../../patch/hunk.ts';
import type { Hunk } from '../../patch/hunk.ts';
import { textIn } from '../foreign.ts';
import { codexOutput } from '../commands/command-text.ts';
import type { Outcome } from '../outcome.ts';
import { diffTexts, formatDiff } from '../../patch/unified-diff.ts';
import { fromParameters } from '../view.ts';
import type { View } from '../view.ts';

/** Codex's `apply_patch`, whose one parameter is a patch in a special envelope. */
export const patchView: View = {
  ofCall: patchBlocks,
  ofResult: (parameters, outcome) => (wasApplied(outcome) ? patchBlocks(parameters) : []),
};

function patchBlocks(parameters: unknown): ToolBlock[] {
  const patch =
    typeof parameters === 'string' ? cleanText(parameters) : textIn(parameters, 'input', 'patch', 'patchText');
  const changes = patch === undefined ? undefined : parsePatch(patch);
  return changes === undefined ? [] : [{ type: 'file-change', changes, metadata: { ...fromParameters } }];
}

/**
 * True unless the text speaks against it. Codex's rollouts mark no failure: a patch that did not fit is an ordinary
 * result whose text says so, so that only a text which says that it went well counts.
 */
function wasApplied({ text }: Outcome): boolean {
  if (text === undefined || isBlank(text)) return true;
  const report = codexOutput(text, false);
  if (report?.exit_code !== undefined) return report.exit_code === 0;
  return text.startsWith('Success') || text.startsWith('Done');
}

/**
 * The changes that a patch asks for, or `undefined` if it is malformed; one pass over its lines. The envelope names
 * places by their surroundings, not by numbers, so the line numbers of the diffs count through the patch alone.
 */
function parsePatch(patch: string): FileChange[] | undefined {
  const lines = patch.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  const begin = lines.findIndex((line) => line.trim() === '*** Begin Patch');
  if (begin === -1) return undefined;
  const sections: Section[] = [];
  for (const line of lines.slice(begin + 1)) {
    if (line.trim() === '*** End Patch') return sections.length === 0 ? undefined : changesOf(sections);
    const started = startSection(line);
    const section = sections.at(-1);
    if (started !== undefined) sections.push(started);
    else if (section === undefined ? !isPreamble(line) : !addLine(section, line)) return undefined;
  }
  return undefined;
}

interface Section {
  kind: 'add' | 'delete' | 'update';
  path: string;
  moveTo?: string;
  chunks: { heading: string; lines: string[] }[];
  /** An `Update` names its new place before its first chunk, if at all. */
  atStart: boolean;
}

const sectionMarks = [
  ['*** Add File: ', 'add'],
  ['*** Delete File: ', 'delete'],
  ['*** Update File: ', 'update'],
] as const;

function startSection(line: string): Section | undefined {
  const marked = line.trimStart();
  for (const [mark, kind] of sectionMarks) {
    const path = marked.startsWith(mark) ? marked.slice(mark.length).trim() : '';
    if (path !== '') return { kind, path, chunks: [], atStart: true };
  }
  return undefined;
}

function isPreamble(line: string): boolean {
  return isBlank(line) || line.startsWith('*** Environment ID: ');
}

/** Puts a line where it belongs; false if it belongs nowhere. */
function addLine(section: Section, line: string): boolean {
  const { atStart } = section;
  section.atStart = false;
  if (section.kind === 'delete') return isBlank(line);
  if (section.kind === 'add') {
    if (!line.startsWith('+')) return false;
    lastChunk(section).push(line);
    return true;
  }
  if (atStart && line.startsWith('*** Move to: ')) {
    section.moveTo = line.slice('*** Move to: '.length).trim();
    return section.moveTo !== '';
  }
  if (line === '@@' || line.startsWith('@@ ')) {
    // Several headings in a row narrow the place down; the last one is the nearest.
    if (section.chunks.at(-1)?.lines.length === 0) section.chunks.pop();
    section.chunks.push({ heading: line.slice(2).trim(), lines: [] });
    return true;
  }
  if (line.trimEnd() === '*** End of File') return true;
  if (line !== '' && !' +-'.includes(line.charAt(0))) return false;
  lastChunk(section).push(line === '' ? ' ' : line);
  return true;
}

function lastChunk(section: Section): string[] {
  const last = section.chunks.at(-1);
  if (last !== undefined) return last.lines;
  const lines: string[] = [];
  section.chunks.push({ heading: '', lines });
  return lines;
}

function changesOf(sections: readonly Section[]): FileChange[] | undefined {
  const changes: FileChange[] = [];
  for (const { kind, path, moveTo, chunks } of sections) {
    const hunks = kind === 'add' ? hunksOfAddition(chunks) : hunksOfChunks(chunks);
    if (hunks === undefined) return undefined;
    const to = moveTo ?? path;
    const diff = formatDiff(kind === 'add' ? undefined : path, to, hunks);
    const renamed = moveTo !== undefined && moveTo !== path;
    // Codex refuses an update that changes nothing.
    if (kind === 'update' && diff === undefined && !renamed) return undefined;
    const change: FileChange = { path: to, kind: kind === 'update' ? (renamed ? 'rename' : 'modify') : kind };
    if (renamed) change.from = path;
    if (diff !== undefined) change.diff = diff;
    changes.push(change);
  }
  return changes;
}

function hunksOfAddition(chunks: Section['chunks']): Hunk[] {
  return diffTexts('', chunks.flatMap((chunk) => chunk.lines.map((line) => `${line.slice(1)}\n`)).join(''));
}

function hunksOfChunks(chunks: Section['chunks']): Hunk[] | undefined {
  const hunks: Hunk[] = [];
  let oldStart = 1;
  let newStart = 1;
  for (const { heading, lines } of chunks) {
    if (lines.length === 0) continue;
    const hunk = countLines(oldStart, newStart, lines);
    if (hunk === undefined) return undefined;
    oldStart += hunk.oldLines;
    newStart += hunk.newLines;
    hunks.push(heading === '' ? hunk : { ...hunk, heading });
  }
  return hunks;
}
