import { ToolMistake } from '../file-call.ts';

/** One passage of an update: the lines that come with ` `, `-` or `+`, and the headings that lead to it. */
export interface Chunk {
  headings: readonly string[];
  lines: readonly string[];
  /** It has to be at the end of the file. */
  isAtEnd: boolean;
}

/** One file of a patch between `*** Begin Patch` and `*** End Patch`. */
type EnvelopeSection =
  | { kind: 'add'; path: string; content: string }
  | { kind: 'delete'; path: string }
  | { kind: 'update'; path: string; moveTo?: string; chunks: readonly Chunk[] };

interface OpenChunk {
  headings: string[];
  lines: string[];
  isAtEnd: boolean;
}

interface OpenSection {
  kind: EnvelopeSection['kind'];
  path: string;
  moveTo?: string;
  added: string[];
  chunks: OpenChunk[];
}

/** Reads a patch in the envelope that GPT models are trained on. */
export function readEnvelope(patch: string): EnvelopeSection[] {
  const lines = patch.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  const begin = lines.findIndex((line) => line.trim() === '*** Begin Patch');
  const end = lines.findLastIndex((line) => line.trim() === '*** End Patch');
  if (end <= begin) throw new ToolMistake('The patch has no "*** End Patch": it may have been cut off. Send it whole.');
  const sections: OpenSection[] = [];
  for (const [index, line] of lines.slice(begin + 1, end).entries()) {
    const started = startSection(line);
    const section = sections.at(-1);
    if (started !== undefined) {
      sections.push(started);
    } else if (section === undefined ? line.trim() !== '' : !addLine(section, line)) {
      throw new ToolMistake(
        `Line ${begin + index + 1} of the patch, "${line.slice(0, 80)}", does not belong there: lines of a file begin with " ", "-" or "+".`,
      );
    }
  }
  if (sections.length === 0) throw new ToolMistake('The patch changes no file.');
  return sections.map(finish);
}

const marks = [
  ['*** Add File: ', 'add'],
  ['*** Delete File: ', 'delete'],
  ['*** Update File: ', 'update'],
] as const;

function startSection(line: string): OpenSection | undefined {
  for (const [mark, kind] of marks) {
    const path = line.startsWith(mark) ? line.slice(mark.length).trim() : '';
    if (path !== '') return { kind, path, added: [], chunks: [] };
  }
  return undefined;
}

function addLine(section: OpenSection, line: string): boolean {
  if (section.kind === 'delete') return line.trim() === '';
  if (section.kind === 'add') {
    if (!line.startsWith('+')) return false;
    section.added.push(line.slice(1));
    return true;
  }
  if (line.startsWith('*** Move to: ') && section.chunks.length === 0) {
    section.moveTo = line.slice('*** Move to: '.length).trim();
    return section.moveTo !== '';
  }
  return addToChunks(section.chunks, line);
}

function addToChunks(chunks: OpenChunk[], line: string): boolean {
  const last = chunks.at(-1);
  if (line === '@@' || line.startsWith('@@ ')) {
    // Numbers of lines, as diffs have them, are no heading.
    const heading = line
      .slice(2)
      .trim()
      .replace(/^-\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?/u, '');
    const headings = heading === '' ? [] : [heading];
    // Several headings in a row narrow the place down.
    if (last !== undefined && last.lines.length === 0) last.headings.push(...headings);
    else chunks.push({ headings, lines: [], isAtEnd: false });
    return true;
  }
  if (line.trimEnd() === '*** End of File') {
    if (last !== undefined) last.isAtEnd = true;
    return last !== undefined;
  }
  if (line !== '' && !' +-'.includes(line.charAt(0))) return false;
  const chunk = last ?? { headings: [], lines: [], isAtEnd: false };
  if (last === undefined) chunks.push(chunk);
  chunk.lines.push(line === '' ? ' ' : line);
  return true;
}

function finish({ kind, path, moveTo, added, chunks }: OpenSection): EnvelopeSection {
  if (kind === 'add') return { kind, path, content: added.map((line) => `${line}\n`).join('') };
  if (kind === 'delete') return { kind, path };
  const used = chunks.filter(({ lines }) => lines.length > 0);
  if (used.length === 0 && moveTo === undefined) throw new ToolMistake(`The patch changes nothing in ${path}.`);
  return { kind, path, ...(moveTo === undefined ? {} : { moveTo }), chunks: used };
}
