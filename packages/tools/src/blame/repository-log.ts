import { readPatch } from '@loom/blocks/patch';
import { runProgram, safeGit } from '../folder/run-program.ts';
import type { ProgramScope } from '../folder/run-program.ts';
import { textOf } from '../undo/replay.ts';

/** A commit of a repository. */
export interface CommitFacts {
  sha: string;
  author: string;
  /** The time at which it was committed, in milliseconds since 1970. */
  time: number;
  summary: string;
}

/** The lines of a file in a commit, each with the commit that it came with. */
export interface CommittedLines {
  lines: readonly { text: string; commit: string }[];
  commits: ReadonlyMap<string, CommitFacts>;
  /** The paths that the file had, below the top. */
  paths: ReadonlySet<string>;
}

/** A file that a commit changed, with the lines that it added. */
export interface CommittedFile {
  path: string;
  from?: string;
  /** The numbers of the added lines, counted from 0. */
  added: readonly number[];
}

/** Reads what git knows, from commits alone: a look at the files of a folder could run filters that its settings name. */
export class RepositoryLog {
  readonly #top: string;
  readonly #scope: ProgramScope;

  constructor(top: string, scope: ProgramScope) {
    this.#top = top;
    this.#scope = scope;
  }

  /** Returns the lines of a file in a commit; `undefined` if it is not in it. */
  async lines(path: string, commit = 'HEAD'): Promise<CommittedLines | undefined> {
    const printed = await this.#text(['blame', '--porcelain', '--no-textconv', commit, '--', path]);
    return printed === undefined ? undefined : readPorcelain(printed);
  }

  async content(path: string, commit: string): Promise<string | undefined> {
    return textOf(await this.#bytes(['cat-file', 'blob', `${commit}:${path}`]));
  }

  /** Returns the commit that a name means; `undefined` if there is none, or the name is of several. */
  async commit(name: string): Promise<CommitFacts | undefined> {
    // A name that begins with a dash would be an option.
    if (name.startsWith('-')) return undefined;
    const format = '--format=%H%x00%an%x00%ct%x00%s';
    const printed = await this.#text(['show', '--no-patch', '--no-show-signature', format, `${name}^{commit}`]);
    const [sha = '', author = '', time = '', summary = ''] = (printed ?? '').trimEnd().split('\0');
    return sha === '' ? undefined : { sha, author, time: Number(time) * 1000, summary };
  }

  /** Returns which of some names are commits of this repository. */
  async has(names: readonly string[]): Promise<Set<string>> {
    const asked = names.filter((name) => /^[0-9a-f]{7,64}$/u.test(name));
    if (asked.length === 0) return new Set();
    const printed = await this.#text(['cat-file', '--batch-check'], `${asked.join('\n')}\n`);
    const lines = (printed ?? '').split('\n');
    return new Set(asked.filter((_, index) => / commit \d+$/u.test(lines[index] ?? '')));
  }

  /** Returns the text files that a commit changed, against its first parent. */
  async changed(commit: string): Promise<CommittedFile[] | undefined> {
    const plain = [
      '--submodule=short',
      '--no-ext-diff',
      '--no-textconv',
      '--no-color',
      '--src-prefix=a/',
      '--dst-prefix=b/',
    ];
    const shown = ['show', '--format=', '-m', '--first-parent', '-M', '-U0', '--no-show-signature', ...plain, commit];
    const printed = await this.#text(shown);
    return printed === undefined ? undefined : readCommit(printed);
  }

  async #text(args: readonly string[], input?: string): Promise<string | undefined> {
    return (await this.#bytes(args, input))?.toString('utf8');
  }

  async #bytes(args: readonly string[], input?: string): Promise<Buffer | undefined> {
    const command = [...safeGit, '-c', 'core.quotePath=false', '-C', this.#top, ...args];
    const result = await runProgram(command, this.#top, { ...this.#scope, ...(input === undefined ? {} : { input }) });
    return result?.code === 0 && !result.isCut ? result.output : undefined;
  }
}

function readPorcelain(printed: string): CommittedLines {
  const commits = new Map<string, CommitFacts>();
  const paths = new Set<string>();
  const lines: { text: string; commit: string }[] = [];
  let facts: CommitFacts = { sha: '', author: '', time: 0, summary: '' };
  for (const line of printed.split('\n')) {
    if (line.startsWith('\t')) {
      lines.push({ text: line.slice(1), commit: facts.sha });
      continue;
    }
    const sha = /^([0-9a-f]{40,64}) \d+ \d+/u.exec(line)?.[1];
    if (sha !== undefined) {
      facts = commits.get(sha) ?? { sha, author: '', time: 0, summary: '' };
      commits.set(sha, facts);
    } else if (line.startsWith('author ')) facts.author = line.slice(7);
    else if (line.startsWith('committer-time ')) facts.time = Number(line.slice(15)) * 1000;
    else if (line.startsWith('summary ')) facts.summary = line.slice(8);
    else if (line.startsWith('filename ')) paths.add(line.slice(9));
  }
  return { lines, commits, paths };
}

function readCommit(printed: string): CommittedFile[] {
  const files: CommittedFile[] = [];
  for (const section of printed.split(/^(?=diff --git )/mu)) {
    const to = namedIn(section, '+++ b/') ?? namedIn(section, 'rename to ');
    if (to === undefined) continue;
    const from = namedIn(section, 'rename from ');
    const read = readPatch(section);
    const added = (read.ok ? read.patch.hunks : []).flatMap(({ newStart, lines }) => {
      let line = newStart - 2;
      return lines.flatMap((text) => {
        if (text.startsWith('-') || text.startsWith('\\')) return [];
        line += 1;
        return text.startsWith('+') ? [line] : [];
      });
    });
    files.push({ path: to, ...(from === undefined ? {} : { from }), added });
  }
  return files;
}

/** Returns the path behind a mark in the header of a file. Git quotes control characters and quotation marks, and ends a path with a blank by a tab. */
function namedIn(section: string, mark: string): string | undefined {
  const header = section.split(/^@@ /mu, 1)[0] ?? '';
  const [kind = '', prefix = ''] = mark.split(/(?<= )/u);
  const line = header
    .split('\n')
    .find((one) => one.startsWith(mark) || one.startsWith(`${kind}"${prefix}`) || one.startsWith(`${mark}"`));
  if (line === undefined) return undefined;
  const written = line.slice(mark.startsWith('+++') ? kind.length : mark.length);
  const path = written.startsWith('"') ? unquoted(written) : written.replace(/\t$/u, '');
  return mark.startsWith('+++') ? path.slice(2) : path;
}

function unquoted(text: string): string {
  const bytes: number[] = [];
  const inner = text.slice(1, text.lastIndexOf('"'));
  for (const [part] of inner.matchAll(/\\[0-7]{3}|\\.|[^\\]+/gsu)) {
    const octal = /^\\([0-7]{3})$/u.exec(part)?.[1];
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(...Buffer.from(part.startsWith('\\') ? (escapes.get(part[1] ?? '') ?? part.slice(1)) : part));
  }
  return Buffer.from(bytes).toString('utf8');
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
]);
