import { integerIn } from '../foreign.ts';

/** A file's content as a tool's text shows it. */
export interface ReadText {
  content: string;
  start_line?: number | undefined;
  total_lines?: number | undefined;
}

/** Takes a file's content out of a tool's text; `undefined` if the text is not written in that way. */
export type TextFormat = (text: string, parameters: unknown) => ReadText | undefined;

/** Lines with their numbers, `1<TAB>text` as Claude Code writes them, or `1→text` as it used to. */
export const numberedLines: TextFormat = (text) => {
  const numbered = readNumbered(text, /^ {0,12}(\d{1,9})(\t|→)/);
  // Notes of the agent may follow, never other text: that would be a file that merely begins with numbers.
  if (numbered === undefined || !isNote(numbered.rest)) return undefined;
  return numbered.read;
};

/** `<content>` with numbered lines, as opencode writes it; `<file>` in its older versions. */
export const taggedLines: TextFormat = (text) => {
  const tag = ['<content>\n', '<file>\n'].find((candidate) => text.includes(candidate));
  if (tag === undefined || !text.startsWith('<')) return undefined;
  const numbered = readNumbered(text.slice(text.indexOf(tag) + tag.length), /^(\d{1,9})(: |\| )/);
  if (numbered === undefined) return undefined;
  const total = /total (\d{1,9}) lines/.exec(numbered.rest.slice(0, 200))?.[1];
  return { ...numbered.read, total_lines: total === undefined ? undefined : Number(total) };
};

/** The file as it is, as Gemini CLI and pi write it, their notes about a cut taken off. */
export const plainText: TextFormat = (text, parameters) => {
  const { content, total_lines, first_line } = withoutNotes(text);
  const start_line = first_line ?? integerIn(parameters, 'start_line', 'offset') ?? 1;
  return { content, start_line: Math.max(1, start_line), total_lines };
};

function isNote(rest: string): boolean {
  const note = rest.trimStart();
  return note === '' || note.startsWith('<system-reminder>') || note.startsWith('[') || note.startsWith('(');
}

/** The numbered lines at the beginning of a text: consecutive numbers, one kind of separator. */
function readNumbered(text: string, numbering: RegExp): { read: ReadText; rest: string } | undefined {
  const contents: string[] = [];
  let position = 0;
  let first: number | undefined;
  let separator: string | undefined;
  while (position <= text.length) {
    const newline = text.indexOf('\n', position);
    const end = newline === -1 ? text.length : newline;
    const match = numbering.exec(text.slice(position, end));
    if (match === null) break;
    const [prefix, digits, mark] = match;
    first ??= Number(digits);
    separator ??= mark;
    if (Number(digits) !== first + contents.length || mark !== separator) break;
    contents.push(text.slice(position + prefix.length, end));
    position = end + 1;
  }
  if (first === undefined) return undefined;
  return { read: { content: contents.join('\n'), start_line: first }, rest: text.slice(position) };
}

function withoutNotes(text: string): { content: string; first_line?: number; total_lines?: number } {
  // Gemini CLI puts its note before the content.
  const mark = '--- FILE CONTENT (truncated) ---\n';
  const at = text.indexOf(mark);
  if (at !== -1 && text.slice(0, at).includes('truncated')) {
    const lines = /Showing lines (\d{1,9})-\d{1,9} of (\d{1,9}) total lines/.exec(text.slice(0, at));
    const content = text.slice(at + mark.length);
    return lines === null ? { content } : { content, first_line: Number(lines[1]), total_lines: Number(lines[2]) };
  }
  // pi puts its note at the end, after an empty line.
  const last = text.lastIndexOf('\n\n[');
  const note = last === -1 ? '' : text.slice(last + 2);
  if (note.includes('\n') || !note.endsWith('to continue.]')) return { content: text };
  const total = / of (\d{1,9})[. ]/.exec(note)?.[1];
  return total === undefined
    ? { content: text.slice(0, last) }
    : { content: text.slice(0, last), total_lines: Number(total) };
}
