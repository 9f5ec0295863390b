import { commandWords, pathWords, splitPath } from '@loom/blocks';
import type { PathBase, ToolUseBlock } from '@loom/blocks';
import { count } from '../../words/amounts.ts';
import { groupWords, toolLine } from './tool-kinds.ts';
import type { ToolLine } from './tool-kinds.ts';

/** Several calls in a row, as their one line tells them. */
export interface GroupLine {
  /** `Read 5 files` */
  readonly words: string;
  /** The files, searches or commands by name, a repeated one with how often, at most four. */
  readonly about: string;
}

/** The number of names in a line. */
const mostNames = 4;
const longestName = 48;

/** Words calls that are shown together. */
export function groupLine(calls: readonly Pick<ToolUseBlock, 'name' | 'parameters'>[], base: PathBase): GroupLine {
  const lines = calls.map(({ name, parameters }) => toolLine(name, parameters));
  const names = new Map<string, number>();
  // Two files of one name are told apart by their folders.
  const paths = new Map(
    lines.filter(({ isPath }) => isPath).map(({ argument }) => [argument, splitPath(argument).name]),
  );
  const order = lines.toSorted((one, other) => Number(other.kind === 'read') - Number(one.kind === 'read'));
  for (const line of order) {
    const name = nameOf(line, paths, base);
    if (name !== '') names.set(name, (names.get(name) ?? 0) + 1);
  }
  const shown = [...names]
    .slice(0, mostNames)
    .map(([name, often]) => (often === 1 ? name : `${name} ${timesOf(often)}`));
  return { words: wordsOf(lines), about: [...shown, ...(names.size > mostNames ? ['…'] : [])].join(', ') };
}

function wordsOf(lines: readonly ToolLine[]): string {
  const [first] = lines;
  if (first === undefined) return '';
  const reads = lines.filter(({ kind }) => kind === 'read');
  const finds = lines.filter(({ kind }) => kind === 'find');
  if (reads.length + finds.length < lines.length) return groupWords(first.kind, first.verb, lines.length);
  const read = `Read ${count(new Set(reads.map(({ argument }) => argument)).size, 'file')}`;
  const searched = `earched ${timesOf(finds.length)}`;
  if (finds.length === 0) return read;
  return reads.length === 0 ? `S${searched}` : `${read}, s${searched}`;
}

/** `once`, `twice`, `3 times` */
function timesOf(often: number): string {
  return often === 1 ? 'once' : often === 2 ? 'twice' : `${often} times`;
}

function nameOf({ kind, argument, isPath }: ToolLine, paths: ReadonlyMap<string, string>, base: PathBase): string {
  if (isPath === true) {
    const name = paths.get(argument) ?? argument;
    const isShared = [...paths].some(([path, other]) => other === name && path !== argument);
    return isShared || name === '' ? pathWords(argument, base) : name;
  }
  const [line = ''] = (kind === 'command' ? commandWords(argument, base) : argument).split('\n');
  return line.length <= longestName ? line : `${line.slice(0, longestName).trimEnd().toWellFormed()}…`;
}
