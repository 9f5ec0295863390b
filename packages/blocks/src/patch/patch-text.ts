import { readHunk, rightHeader } from './hunk.ts';
import type { Hunk } from './hunk.ts';

/** A patch of one file: its hunks, in order, and what its headers say about the file. */
export interface FilePatch {
  hunks: readonly Hunk[];
  /** True if the old side has no file. */
  creates: boolean;
  /** True if the new side has no file. */
  deletes: boolean;
  /** Every line of the patch came with `\r\n`, which is taken off: it says nothing about the lines of the file. */
  crlfEnvelope: boolean;
}

/** The patch that a text holds, or what keeps it from being one, in words for its author. */
export type PatchReading = { ok: true; patch: FilePatch } | { ok: false; errors: string[] };

/** Reads a unified diff of one file; headers of git and the mail around it are skipped, nothing else is. */
export function readPatch(text: string): PatchReading {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const crlfEnvelope = lines.length > 1 && lines.slice(0, -1).every((line) => line.endsWith('\r'));
  const plain = crlfEnvelope ? lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)) : lines;
  const { sections, problem } = readSections(plain);
  const [section] = sections;
  const error = problem ?? findFault(sections) ?? findCut(text, plain, section);
  if (error !== undefined || section === undefined) {
    return { ok: false, errors: [recogniseFormat(plain) ?? error ?? noHunks] };
  }
  const { hunks, creates, deletes } = section;
  return { ok: true, patch: { hunks, creates, deletes, crlfEnvelope } };
}

/** The part of a patch about one file. */
interface Section {
  name: string;
  hunks: Hunk[];
  creates: boolean;
  deletes: boolean;
  /** Begun by `diff --git`; its `---` and `+++` are still to come. */
  expectsNames: boolean;
  moves: boolean;
  binary: boolean;
}

const sendDiff = 'send a unified diff, whose hunks begin with "@@ -start,count +start,count @@"';
const noHunks = `there is no hunk in the patch; ${sendDiff}`;

/**
 * Cuts a patch into sections, one for each file. Text before and between the files is ignored; right behind a hunk it is
 * not, because there it may be a part of the hunk that the header did not count.
 */
function readSections(lines: readonly string[]): { sections: Section[]; problem?: string } {
  const sections: Section[] = [];
  let isBehindHunk = false;
  let lastHunk = 0;
  let position = 0;
  while (position < lines.length) {
    const line = lines[position] ?? '';
    const current = sections.at(-1);
    if (line.startsWith('@@')) {
      // Without a name this is the patch of one unnamed file; behind the end of another patch it belongs to no file.
      const section =
        current !== undefined && (isBehindHunk || current.hunks.length === 0) ? current : beginSection('');
      if (section !== current) sections.push(section);
      const reading = readHunk(lines, position);
      const place = `hunk ${section.hunks.length + 1} (line ${position + 1} of the patch)`;
      if (!reading.ok) return { sections, problem: `${place} is malformed: ${reading.problem}; ${repair}` };
      section.hunks.push(reading.hunk);
      section.expectsNames = false;
      lastHunk = position;
      position = reading.next;
      isBehindHunk = true;
      continue;
    }
    const names = readNames(line, lines[position + 1]);
    if (names !== undefined) {
      const section = current?.expectsNames === true ? current : beginSection(names.name);
      if (section !== current) sections.push(section);
      section.expectsNames = false;
      section.creates ||= names.creates;
      section.deletes ||= names.deletes;
      position += 2;
      isBehindHunk = false;
      continue;
    }
    if (line.startsWith('diff --git ')) {
      sections.push({ ...beginSection(line.slice('diff --git '.length).trimEnd()), expectsNames: true });
      isBehindHunk = false;
    } else if (isBehindHunk && line.trim() !== '') {
      if (!endsHunks(line)) {
        const uncounted = `line ${position + 1} of the patch follows a hunk but is not counted in its header`;
        const problem = `${uncounted}; ${rightHeader(lines, lastHunk)}; ${repair}`;
        return { sections, problem };
      }
      isBehindHunk = false;
    }
    const section = sections.at(-1);
    if (section?.expectsNames === true) readExtendedHeader(section, line);
    else if (isBinaryNote(line)) sections.push({ ...beginSection(line), binary: true });
    position += 1;
  }
  return { sections };
}

const repair =
  'make the patch again with a diff program, or correct the counts: old lines are those with " " or "-", new lines those with " " or "+"';

function beginSection(header: string): Section {
  const name = header.slice(0, 200);
  return { name, hunks: [], creates: false, deletes: false, expectsNames: false, moves: false, binary: false };
}

function readNames(line: string, next: string | undefined) {
  if (!line.startsWith('--- ') || next?.startsWith('+++ ') !== true) return undefined;
  const creates = isNoFile(line);
  const deletes = isNoFile(next);
  // A name may be followed by a tab and a time.
  const name = (deletes ? line : next).slice(4).split('\t')[0]?.trimEnd() ?? '';
  return { name, creates, deletes };
}

function isNoFile(line: string): boolean {
  return /^.{4}\/dev\/null\s*(?:\t|$)/u.test(line);
}

/** The lines of git between `diff --git` and the hunks. */
function readExtendedHeader(section: Section, line: string): void {
  if (/^(?:rename|copy) (?:from|to) /u.test(line)) section.moves = true;
  if (line.startsWith('GIT binary patch') || isBinaryNote(line)) section.binary = true;
}

function isBinaryNote(line: string): boolean {
  return /^Binary files .* differ\s*$/u.test(line);
}

/** The signature of a mail, the end of a fenced example, or the beginning of something about another file. */
function endsHunks(line: string): boolean {
  return /^(?:--\s*$|```|diff |Index: |From |Only in |Binary files )/u.test(line);
}

function findFault(sections: readonly Section[]): string | undefined {
  const [section] = sections;
  if (sections.length > 1) {
    const names = sections.slice(0, 10).map(({ name }) => name || 'an unnamed file');
    return `the patch has parts for ${sections.length} files (${names.join(', ')}${sections.length > 10 ? ', …' : ''}); split it and apply each part to the block of its file, one call each`;
  }
  if (section?.moves === true) {
    return `the patch renames or copies a file (${section.name}), but a patch changes only the text of one block; send the hunks alone, from the first "@@" on, and change the path apart from it`;
  }
  if (section?.binary === true) {
    return `the patch is binary (${section.name}), and a block holds text; replace the file itself instead`;
  }
  if (section === undefined) return noHunks;
  if (section.hunks.length === 0) return `the patch changes no line of ${section.name}, at most its mode; ${noHunks}`;
  let next = 1;
  for (const [index, hunk] of section.hunks.entries()) {
    if (!hunk.lines.some((line) => line.startsWith('-') || line.startsWith('+'))) {
      return `hunk ${index + 1} changes nothing; leave it out`;
    }
    if (hunk.oldStart < next) {
      return hunk.oldStart === 0
        ? `hunk ${index + 1} starts at line 0, but lines of a patch count from 1; correct its header`
        : `hunk ${index + 1} overlaps with the one before or comes before it; put the hunks in the order of the text`;
    }
    const isLast = index === section.hunks.length - 1;
    if (!isLast && hunk.lines.some((line) => line.startsWith('\\'))) {
      return `hunk ${index + 1} marks the end of the file, but another hunk follows; mark only the last line of the file`;
    }
    next = hunk.oldStart + hunk.oldLines;
  }
  return undefined;
}

/** Kept and removed lines have to be those of the text; whether the last one that is added is whole only its break can tell. */
function findCut(text: string, lines: readonly string[], section: Section | undefined): string | undefined {
  const last = section?.hunks.at(-1)?.lines.at(-1);
  if (text.endsWith('\n') || last?.startsWith('+') !== true || last !== lines.at(-1)) return undefined;
  return `the patch ends inside line ${lines.length}, which is added: it may have been cut off there; send it whole, with a line break after its last line`;
}

/** Says so if the patch is of another kind, where it could not be read as a unified diff. */
function recogniseFormat(lines: readonly string[]): string | undefined {
  if (lines.some((line) => line.startsWith('*** Begin Patch'))) {
    return `the patch is in the format of another tool ("*** Begin Patch"); ${sendDiff}`;
  }
  if (lines.some((line) => /^\*{15}\s*$/u.test(line))) return `the patch is a context diff; ${sendDiff}`;
  return undefined;
}
