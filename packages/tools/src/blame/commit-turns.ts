import { join } from 'node:path';
import type { Caller, LoomEngine } from '@loom/kernel';
import type { ProgramScope } from '../folder/run-program.ts';
import { begunAt, projectOf, stepsOfLines, worksIn } from './blame-file.ts';
import { FileIdentity, repositoryTop } from './file-identity.ts';
import { readHistory } from './file-history.ts';
import type { HistoryStep } from './file-history.ts';
import { linesOf } from './line-text.ts';
import { RepositoryLog } from './repository-log.ts';
import type { CommitFacts } from './repository-log.ts';

/** The part that conversations had in a commit. */
export interface CommitParts {
  commit: CommitFacts;
  /** The added lines of text files, and of how many of them the writer is known. */
  added: number;
  known: number;
  files: { path: string; added: number; known: number }[];
  /** One for each added line whose writer is known. */
  steps: HistoryStep[];
  /** Blocks with commands that printed the name of the commit, as git does for a new one. */
  made: { block: string }[];
  /** Conversations that began when the commit was checked out. */
  began: string[];
  isComplete: boolean;
}

/** Finds the conversations that wrote what a commit added, made it, or began at it. */
export async function findCommitTurns(
  engine: LoomEngine,
  caller: Caller,
  { directory, commit: name, scope }: { directory: string; commit: string; scope: ProgramScope },
): Promise<CommitParts | { parameter: 'directory' | 'commit'; problem: string }> {
  const top = repositoryTop(directory);
  if (top === undefined) return { parameter: 'directory', problem: 'is not in a git repository' };
  const log = new RepositoryLog(top, scope);
  const commit = await log.commit(name);
  if (commit === undefined) return { parameter: 'commit', problem: `names no commit of ${top}, or more than one` };
  const changed = await log.changed(commit.sha);
  const project = await projectOf(engine, top);
  const result: CommitParts = {
    commit,
    added: 0,
    known: 0,
    files: [],
    steps: [],
    made: await commandsNaming(engine, caller, commit.sha),
    began: await beganAt(engine, caller, commit.sha),
    // Too much was changed to be looked at.
    isComplete: changed !== undefined,
  };
  for (const { path, from, added } of changed ?? []) {
    if (added.length === 0) continue;
    if (result.files.length === mostFiles || result.added + added.length > mostLines) {
      result.isComplete = false;
      break;
    }
    const file = new FileIdentity([join(top, path)], top, project);
    if (from !== undefined) file.addBelow(from);
    const history = await readHistory(engine, caller, file, {
      until: commit.time + clockSlack,
      worksHere: worksIn(log),
    });
    const steps = history.steps.length === 0 ? [] : await stepsAt(engine, log, { path, top, commit, history });
    const known = added.flatMap((line) => steps[line] ?? []);
    result.isComplete &&= history.isComplete;
    result.added += added.length;
    result.known += known.length;
    result.files.push({ path, added: added.length, known: known.length });
    result.steps.push(...known);
  }
  return result;
}

async function stepsAt(
  engine: LoomEngine,
  log: RepositoryLog,
  {
    path,
    top,
    commit,
    history,
  }: { path: string; top: string; commit: CommitFacts; history: Awaited<ReturnType<typeof readHistory>> },
): Promise<(HistoryStep | undefined)[]> {
  const lines = linesOf((await log.content(path, commit.sha)) ?? '');
  return stepsOfLines(engine, history, lines, join(top, path), []);
}

/** Git prints `[branch 1a2b3c4] Subject` for a new commit. */
async function commandsNaming(engine: LoomEngine, caller: Caller, sha: string): Promise<{ block: string }[]> {
  const found = await engine.call('kernel.search', caller, {
    query: String.raw`^\[[^\]\n]* ${sha.slice(0, 7)}[0-9a-f]*\] `,
    kinds: ['command'],
    context_lines: 0,
    max_matches_per_block: 1,
    max_blocks: mostCommands,
  });
  return found.ok ? found.value.blocks.map(({ block_id: block }) => ({ block })) : [];
}

async function beganAt(engine: LoomEngine, caller: Caller, sha: string): Promise<string[]> {
  const rows = await engine.catalog.rows(caller);
  return rows.filter(({ summary, deleted }) => !deleted && begunAt(summary().config) === sha).map(({ id }) => id);
}

const mostFiles = 200;
const mostLines = 50_000;
const mostCommands = 20;
/** The clocks of two computers may differ by this much, in milliseconds. */
const clockSlack = 120_000;
