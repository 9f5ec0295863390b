import { z } from 'zod';
import { compileQuery, lineMatches, searchAllowance } from '@loom/kernel/search';
import type { QueryMatcher } from '@loom/kernel/search';
import type { ConfinedFolder } from '../../folder/confined-folder.ts';
import { Glob } from '../../folder/glob.ts';
import { PathError } from '../../folder/path-error.ts';
import { isSecretPath } from '../../folder/secret-paths.ts';
import { shownPath } from '../shown-path.ts';
import { walk } from '../../folder/walk.ts';
import { ToolMistake } from '../file-call.ts';
import type { ReadingCode, ReadingScope } from '../file-call.ts';
import { textOf } from '../file-scope.ts';
import { expandBraces } from './braces.ts';
import { listCandidates } from './ripgrep.ts';

const params = z.strictObject({
  pattern: z.string().min(1),
  path: z.string().min(1).exactOptional(),
  glob: z.string().min(1).exactOptional(),
  ignore_case: z.boolean().exactOptional(),
  context: z.int().min(0).max(20).exactOptional(),
  limit: z.int().min(1).max(1000).exactOptional(),
});
type Params = z.infer<typeof params>;

/** The code of the tool `search`. */
export const searchFilesCode: ReadingCode<Params> = {
  params,
  pathOf: ({ path = '.' }) => path,
  async run(asked, scope) {
    const matcher = compile(asked);
    const { path: from = '.', limit = 100 } = asked;
    const found = new Found(asked.context ?? 0, limit);
    const files = await filesBelow(from, scope, asked);
    for (const path of files.paths) {
      if (found.isFull || scope.context.signal.aborted) break;
      await searchFile(scope.folder, path, matcher, found);
    }
    return { content: [{ type: 'text', text: found.text(asked.pattern, files.notes) }] };
  },
};

function compile({ pattern, ignore_case: ignoreCase = false }: Params): QueryMatcher {
  const compiled = compileQuery({ query: pattern, ignoreCase });
  if (compiled.ok) return compiled.matcher;
  const { refusal } = compiled;
  if (refusal.reason === 'invalid-regex') {
    throw new ToolMistake(
      `The pattern is not a regular expression that search knows (RE2 has no look-around and no back-references): ${refusal.problem}`,
    );
  }
  if (refusal.reason === 'regex-too-large') throw new ToolMistake('The pattern is too large. Use a simpler one.');
  const problem = refusal.reason === 'invalid-params' ? refusal.problems[0]?.problem : refusal.reason;
  throw new ToolMistake(`The pattern cannot be used: it ${problem ?? 'is not valid'}.`);
}

/** Returns the files to look into, in the order of their paths: those in which ripgrep finds something, or else all. */
async function filesBelow(
  from: string,
  scope: ReadingScope,
  asked: Params,
): Promise<{ paths: string[]; notes: string[] }> {
  const { folder, context } = scope;
  const isWanted = globFilter(asked.glob);
  await using place = await folder.locate(from);
  if (place.found?.isFile() === true) {
    await scope.permit(place.path);
    return { paths: [place.path], notes: [] };
  }
  const isShown = (path: string): boolean => isWanted(path) && !isSecretPath(path);
  const listed = await listCandidates(folder, place.path, asked, context);
  if (listed !== undefined) return { paths: listed.filter(isShown).toSorted(), notes: [] };
  const paths: string[] = [];
  const notes: string[] = [];
  for await (const { path, kind } of walk(folder, { from, signal: context.signal })) {
    if (kind !== 'file' || !isShown(path)) continue;
    if (paths.length === mostFiles) {
      notes.push(`[The folder has more than ${mostFiles} files; the others were not searched. Name a path.]`);
      break;
    }
    paths.push(path);
  }
  return { paths, notes };
}

/** A pattern without a slash is about names, in whatever folder. */
function globFilter(glob: string | undefined): (path: string) => boolean {
  if (glob === undefined) return () => true;
  const globs = expandBraces(glob).map((one) => {
    const below = one.startsWith('/') ? one.slice(1) : one;
    return new Glob(one.includes('/') ? below : `**/${below}`);
  });
  return (path) => globs.some((one) => one.matches(path));
}

async function searchFile(folder: ConfinedFolder, path: string, matcher: QueryMatcher, found: Found): Promise<void> {
  let text: string | undefined;
  try {
    text = textOf((await folder.read(path, largestSearched)).bytes);
  } catch (error) {
    // Files that come and go while they are searched are no reason to stop.
    if (error instanceof PathError) return;
    throw error;
  }
  if (text === undefined) return;
  const { meter } = searchAllowance();
  const starts = new Set<number>();
  for (const { from } of lineMatches(text, matcher, meter)) {
    starts.add(from);
    if (starts.size + found.count > found.limit) break;
  }
  if (starts.size > 0) found.add(path, text, starts);
  if (meter.exhausted)
    found.notes.push(`[${shownPath(path)} was searched only in part: the pattern takes too long there.]`);
}

/** The lines that were found, as they are shown. */
class Found {
  readonly limit: number;
  readonly notes: string[] = [];
  count = 0;
  #isCut = false;
  readonly #context: number;
  readonly #parts: string[] = [];

  constructor(context: number, limit: number) {
    this.#context = context;
    this.limit = limit;
  }

  /** True if there is at least one line more than may be shown. */
  get isFull(): boolean {
    return this.#isCut;
  }

  /** Adds the lines of a file that begin at these offsets. */
  add(path: string, text: string, starts: ReadonlySet<number>): void {
    const lines = text.split('\n');
    const shown = new Map<number, string>();
    let offset = 0;
    for (const [index, line] of lines.entries()) {
      if (starts.has(offset)) {
        if (this.count === this.limit) {
          this.#isCut = true;
          break;
        }
        this.count += 1;
        for (let near = index - this.#context; near <= index + this.#context; near += 1) {
          if (near !== index && lines[near] !== undefined && !shown.has(near)) shown.set(near, '-');
        }
        shown.set(index, ':');
      }
      offset += line.length + 1;
    }
    // The last line break begins no line.
    if (lines.at(-1) === '' && shown.get(lines.length - 1) === '-') shown.delete(lines.length - 1);
    let last: number | undefined;
    for (const [index, mark] of [...shown].toSorted(([left], [right]) => left - right)) {
      if (this.#context > 0 && last !== undefined && index > last + 1) this.#parts.push('--');
      this.#parts.push(`${shownPath(path)}${mark}${index}${mark}${shorten(lines[index] ?? '')}`);
      last = index;
    }
    if (this.#context > 0) this.#parts.push('--');
  }

  text(pattern: string, more: readonly string[]): string {
    if (this.#parts.at(-1) === '--') this.#parts.pop();
    const cut = this.#isCut
      ? [`[Cut after ${this.limit} matching lines. Use a narrower pattern, path or glob, or a larger limit.]`]
      : [];
    const notes = [...cut, ...this.notes, ...more];
    if (this.count === 0) return [`No line matches ${pattern}.`, ...notes].join('\n');
    return [...this.#parts, ...notes].join('\n');
  }
}

function shorten(line: string): string {
  const plain = line.endsWith('\r') ? line.slice(0, -1) : line;
  return plain.length <= longestLine ? plain : `${plain.slice(0, longestLine)}…`;
}

const longestLine = 400;
const largestSearched = 20 * 1024 * 1024;
const mostFiles = 100_000;
