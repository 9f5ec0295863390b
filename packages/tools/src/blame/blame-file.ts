import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { isPlainObject } from '@loom/blocks';
import { diffTexts } from '@loom/blocks/patch';
import type { Caller, LoomEngine, RootConfig } from '@loom/kernel';
import type { ProgramScope } from '../folder/run-program.ts';
import { systemCode } from '../folder/path-error.ts';
import { textOf } from '../undo/replay.ts';
import { FileIdentity, repositoryTop } from './file-identity.ts';
import { largestText, readHistory, rememberFiles } from './file-history.ts';
import type { FileHistory, HistoryStep } from './file-history.ts';
import { linesOf } from './line-text.ts';
import { matchLines } from './match-lines.ts';
import { RepositoryLog } from './repository-log.ts';
import type { CommitFacts } from './repository-log.ts';

/** Lines of a file with what is known of who wrote them. */
export interface BlamedFile {
  /** The absolute path, without links. */
  path: string;
  /** The top of the checkout that it is in. */
  top?: string;
  text: readonly string[];
  /** For each line the change that wrote it, if one is known. */
  steps: readonly (HistoryStep | undefined)[];
  /** For each line the commit that it came with, if it was committed. */
  commits: readonly (CommitFacts | undefined)[];
  history: FileHistory;
}

/** The reason that a file cannot be looked at, as the end of a sentence about it. */
export type BlameProblem = { problem: string };

/** Finds out which changes of conversations wrote the lines of a file as it is on disk. */
export async function blameFile(
  engine: LoomEngine,
  caller: Caller,
  { path: asked, root, scope }: { path: string; root?: string | undefined; scope: ProgramScope },
): Promise<BlamedFile | BlameProblem> {
  if (!isAbsolute(asked) || asked.includes('\0')) return { problem: 'must be an absolute path' };
  const content = await readText(asked);
  if ('problem' in content) return content;
  const { path, text } = content;
  const top = repositoryTop(dirname(path));
  const lines = linesOf(text);
  const log = top === undefined ? undefined : new RepositoryLog(top, scope);
  const below = top === undefined ? undefined : relative(top, path);
  const committed = below === undefined ? undefined : await log?.lines(below);
  const project = await projectOf(engine, top ?? dirname(path));
  const file = new FileIdentity([...new Set([path, resolve(asked)])], top ?? dirname(path), project);
  for (const former of committed?.paths ?? []) file.addBelow(former);
  const history = await readHistory(engine, caller, file, { root, worksHere: worksIn(log) });
  const commits = commitsOf(lines, committed);
  const steps = await stepsOfLines(engine, history, lines, path, commits);
  return { path, ...(top === undefined ? {} : { top }), text: lines, steps, commits, history };
}

/** Finds the steps that wrote the lines of a text. A line that was committed before a step wrote it is not of that step. */
export async function stepsOfLines(
  engine: LoomEngine,
  { steps }: FileHistory,
  lines: readonly string[],
  path: string,
  commits: readonly (CommitFacts | undefined)[],
): Promise<(HistoryStep | undefined)[]> {
  const remembered = await rememberFiles(steps, engine.blobs);
  // Changes at this very path go first; other checkouts tell of what was merged.
  const ordered = [
    ...remembered.filter(({ place }) => place === path),
    ...remembered.filter(({ place }) => place !== path),
  ];
  const found = lines.map((): HistoryStep | undefined => undefined);
  for (const { file } of ordered) {
    for (const [line, number] of matchLines(file.known, lines).entries()) {
      const step = number === undefined ? undefined : steps[number];
      const { time: committed = Infinity } = commits[line] ?? {};
      if (step !== undefined && found[line] === undefined && step.time <= committed + clockSlack) found[line] = step;
    }
  }
  return found;
}

/** Returns the project of a folder. */
export function projectOf(engine: LoomEngine, directory: string): Promise<string | undefined> {
  return engine.projects.find({ config: { directory } });
}

/** Tells conversations that began at a commit of the repository: they worked in it, whatever their folder is called. */
export function worksIn(log: RepositoryLog | undefined): (config: RootConfig) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return async (config) => {
    const commit = begunAt(config);
    if (log === undefined || commit === undefined) return false;
    const answer = known.get(commit) ?? log.has([commit]).then((found) => found.size > 0);
    known.set(commit, answer);
    return answer;
  };
}

/** Returns the commit that was checked out when an imported session began, where its program noted it. */
export function begunAt(config: RootConfig): string | undefined {
  const { imported } = config;
  const details = isPlainObject(imported) ? imported['details'] : undefined;
  const commit = isPlainObject(details) ? details['commit'] : undefined;
  return typeof commit === 'string' && commit !== '' ? commit : undefined;
}

function commitsOf(
  lines: readonly string[],
  committed: Awaited<ReturnType<RepositoryLog['lines']>>,
): (CommitFacts | undefined)[] {
  const commits = lines.map((): CommitFacts | undefined => undefined);
  if (committed === undefined) return commits;
  const old = committed.lines.map(({ text }) => (text.endsWith('\r') ? text.slice(0, -1) : text));
  let [from, to] = [0, 0];
  const keep = (count: number): void => {
    for (let index = 0; index < count; index += 1) {
      commits[to + index] = committed.commits.get(committed.lines[from + index]?.commit ?? '');
    }
    from += count;
    to += count;
  };
  const ended = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('');
  for (const { oldStart, lines: changed } of diffTexts(ended(old), ended(lines))) {
    keep(oldStart - 1 - from);
    for (const line of changed) {
      if (line.startsWith(' ')) keep(1);
      else if (line.startsWith('-')) from += 1;
      else if (line.startsWith('+')) to += 1;
    }
  }
  keep(lines.length - to);
  return commits;
}

async function readText(asked: string): Promise<{ path: string; text: string } | BlameProblem> {
  try {
    const path = join(await realpath(dirname(asked)), basename(asked));
    const real = await realpath(path);
    const found = await stat(real);
    if (!found.isFile()) return { problem: 'is not a file' };
    if (found.size > largestText)
      return { problem: 'is larger than 2 MB; too large to look for the writers of its lines' };
    const text = textOf(await readFile(real));
    return text === undefined ? { problem: 'is not a text in UTF-8' } : { path: real, text };
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { problem: 'does not exist' };
    return {
      problem:
        code === 'EACCES' || code === 'EPERM' ? 'may not be read by Loom' : `cannot be read (${code ?? String(error)})`,
    };
  }
}

/** The clocks of two computers may differ by this much, in milliseconds. */
const clockSlack = 120_000;
