import { ToolMistake } from '../file-call.ts';

/** The part of a unified diff about one file. */
interface DiffSection {
  /** The path before; absent if the file is new. */
  from?: string | undefined;
  /** The path after; absent if the file is deleted. */
  to?: string | undefined;
  /** The names and hunks, as a diff of one file; '' if no line changes. */
  text: string;
  mode?: number;
}

interface OpenSection {
  from?: string | undefined;
  to?: string | undefined;
  renamed: boolean;
  lines: string[];
  mode?: number;
}

/**
 * Cuts a unified diff into its files. The counts in the headers of hunks tell which lines belong to them, so that a removed line `-- x` does not
 * pass for the name of a file.
 */
export function readDiff(patch: string): DiffSection[] {
  const lines = patch.split('\n');
  const sections: OpenSection[] = [];
  let current: OpenSection | undefined;
  const begin = (names: Partial<OpenSection>): OpenSection => {
    const section = { renamed: false, lines: [], ...names };
    sections.push(section);
    return section;
  };
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? '';
    const next = lines[at + 1] ?? '';
    if (line.startsWith('diff --git ')) {
      current = begin(gitNames(line.slice('diff --git '.length).trimEnd()));
      at += 1;
    } else if (line.startsWith('--- ') && next.startsWith('+++ ')) {
      if (current === undefined || current.lines.length > 0) current = begin({});
      if (!current.renamed) Object.assign(current, { from: nameOf(line, 'a/'), to: nameOf(next, 'b/') });
      current.lines.push(line, next);
      at += 2;
    } else if (line.startsWith('@@')) {
      if (current === undefined)
        throw new ToolMistake('The patch names no file. Begin it with "--- a/path" and "+++ b/path".');
      const end = endOfHunk(lines, at);
      current.lines.push(...lines.slice(at, end));
      at = end;
    } else {
      if (current !== undefined) readHeader(current, line);
      at += 1;
    }
  }
  if (sections.length === 0) throw new ToolMistake(noDiff);
  return sections.map(({ renamed: _renamed, lines: kept, ...section }) => ({
    ...section,
    // Without its `diff --git` lines it is a diff of one file, which the engine takes.
    text: kept.length === 0 ? '' : `${kept.join('\n')}\n`,
  }));
}

const noDiff =
  'The patch is neither a unified diff nor a patch between "*** Begin Patch" and "*** End Patch". Send one of these.';

function readHeader(section: OpenSection, line: string): void {
  const [, side, name = ''] = /^rename (from|to) (.+?)\r?$/u.exec(line) ?? [];
  if (side !== undefined) Object.assign(section, { [side]: unquote(name), renamed: true });
  const [, mode] = /^new (?:file )?mode 100(644|755)\r?$/u.exec(line) ?? [];
  if (mode !== undefined) section.mode = Number.parseInt(mode, 8);
  if (line.startsWith('new file mode')) section.from = undefined;
  if (line.startsWith('deleted file mode')) section.to = undefined;
  if (/^(?:GIT binary patch|Binary files .* differ)/u.test(line)) {
    throw new ToolMistake('The patch has a binary part, which cannot be applied. Nothing was changed.');
  }
}

/** Returns the names of a `diff --git` line. Where a name has blanks, both are the same, or a rename names them below. */
function gitNames(text: string): { from?: string; to?: string } {
  const half = text.slice(0, (text.length - 1) / 2);
  const isTwice = half.startsWith('a/') && text === `${half} b/${half.slice(2)}`;
  const [, one, two] = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/u.exec(text) ?? [];
  const [from, to] = isTwice ? [half, `b/${half.slice(2)}`] : [one, two];
  if (from === undefined || to === undefined) return {};
  return { from: withoutPrefix(unquote(from), 'a/'), to: withoutPrefix(unquote(to), 'b/') };
}

function nameOf(line: string, prefix: string): string | undefined {
  const name = unquote((line.slice(4).split('\t')[0] ?? '').trimEnd());
  return name === '/dev/null' ? undefined : withoutPrefix(name, prefix);
}

function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** Takes git's quotes off a name. */
function unquote(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"') || name.length < 2) return name;
  const pieces = name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gsu);
  const bytes = Array.from(pieces, ([, octal, escaped, plain]) =>
    octal === undefined
      ? Buffer.from(plain ?? escapes.get(escaped ?? '') ?? escaped ?? '')
      : Buffer.of(Number.parseInt(octal, 8)),
  );
  return Buffer.concat(bytes).toString('utf8');
}

const escapes = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
]);

/** Returns the line behind a hunk, by the counts of its header. A wrong count is left for the engine to report. */
function endOfHunk(lines: readonly string[], start: number): number {
  const [, old = '1', updated = '1'] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/u.exec(lines[start] ?? '') ?? [];
  const left = { old: Number(old), updated: Number(updated) };
  let at = start + 1;
  for (; at < lines.length && (left.old > 0 || left.updated > 0 || lines[at]?.startsWith('\\') === true); at += 1) {
    const mark = (lines[at] ?? '').charAt(0);
    if (!['-', '+', ' ', '', '\\', '\r'].includes(mark)) break;
    if (mark !== '+' && mark !== '\\') left.old -= 1;
    if (mark !== '-' && mark !== '\\') left.updated -= 1;
  }
  return at;
}
