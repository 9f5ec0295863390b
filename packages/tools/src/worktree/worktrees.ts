import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { runProgram, safeGit } from '../folder/run-program.ts';
import type { ProgramScope } from '../folder/run-program.ts';

/** The outcome, or the problem as the end of a sentence about the directory. */
type Done<T> = { ok: true; value: T } | { ok: false; problem: string };

/** Makes a worktree beside the repository of a folder, on a new branch that begins at the commit checked out there. */
export async function createWorktree(
  directory: string,
  name: string | undefined,
  scope: ProgramScope,
): Promise<Done<{ directory: string; branch: string }>> {
  const at = await openRepository(directory, scope);
  if (!at.ok) return at;
  const { git, top, below } = at.value;
  const base = await git(['symbolic-ref', '--short', 'HEAD']);
  if (base?.code !== 0)
    return { ok: false, problem: 'is on no branch, so nothing could be merged back later; check one out first' };
  if ((await git(['rev-parse', '--verify', '--quiet', 'HEAD']))?.code !== 0) {
    return { ok: false, problem: 'is in a repository without a commit; make a first commit' };
  }
  const chosen = name ?? randomBytes(4).toString('hex');
  const branch = `loom/${chosen}`;
  const place = join(`${top}-worktrees`, chosen);
  if (existsSync(place))
    return { ok: false, problem: `has a worktree of that name already, at ${place}; choose another name` };
  const added = await git(['worktree', 'add', '--quiet', '-b', branch, place, 'HEAD']);
  if (added?.code !== 0) return { ok: false, problem: `got no worktree: ${lastLine(added?.errors)}` };
  // The branch to merge into, for later.
  await git(['config', `branch.${branch}.loomBase`, base.output.toString('utf8').trim()]);
  return { ok: true, value: { directory: join(place, below), branch } };
}

/** Merges the branch of a worktree into the one that it was made from, in the checkout that has that branch. Touches nothing if files conflict. */
export async function mergeWorktree(
  directory: string,
  scope: ProgramScope,
): Promise<Done<{ merged: boolean; conflicts: string[] }>> {
  const at = await openRepository(directory, scope);
  if (!at.ok) return at;
  const { git, top } = at.value;
  const branch = await textOf(git(['symbolic-ref', '--short', 'HEAD']));
  const base = branch === undefined ? undefined : await textOf(git(['config', `branch.${branch}.loomBase`]));
  if (branch === undefined || base === undefined) {
    return { ok: false, problem: 'is not a worktree that Loom has made, so it is not known where to merge it' };
  }
  const target = await checkoutOf(base, git);
  if (target === undefined)
    return { ok: false, problem: `was made from the branch ${base}, which is checked out nowhere; check it out first` };
  const committed = await commitAll(top, scope);
  if (committed !== undefined) return { ok: false, problem: committed };
  const tried = await git(['merge-tree', '--write-tree', '--name-only', '-z', '--no-messages', base, branch]);
  if (tried?.code === 1) {
    const [, ...conflicts] = tried.output.toString('utf8').split('\0').filter(Boolean);
    return { ok: true, value: { merged: false, conflicts: [...new Set(conflicts)] } };
  }
  if (tried?.code !== 0)
    return { ok: false, problem: `could not be compared with ${base}: ${lastLine(tried?.errors)}` };
  const elsewhere = (args: readonly string[]) => runProgram([...safeGit, '-C', target, ...args], target, scope);
  const merged = await elsewhere(['merge', '--no-edit', '--quiet', branch]);
  if (merged?.code === 0) return { ok: true, value: { merged: true, conflicts: [] } };
  if (!(await hasAuthor(elsewhere))) return { ok: false, problem: noAuthor };
  // Git refuses before it touches a file that was changed and not committed.
  return { ok: false, problem: `could not be merged into ${base} at ${target}: ${firstLines(merged?.errors)}` };
}

type Git = (args: readonly string[]) => ReturnType<typeof runProgram>;

async function openRepository(
  directory: string,
  scope: ProgramScope,
): Promise<Done<{ git: Git; top: string; below: string }>> {
  const path = isAbsolute(directory) ? await realpath(directory).catch(() => undefined) : undefined;
  if (path === undefined) return { ok: false, problem: 'is not the absolute path of a folder' };
  const git: Git = (args) => runProgram([...safeGit, '-C', path, ...args], path, scope);
  const found = await git(['rev-parse', '--show-toplevel']);
  if (found === undefined) return { ok: false, problem: 'needs git, which could not be started; install it' };
  if (found.code !== 0) return { ok: false, problem: 'is in no git repository; make one with "git init"' };
  const top = await realpath(found.output.toString('utf8').trimEnd());
  return { ok: true, value: { git, top, below: relative(top, path) } };
}

/**
 * Commits everything in the worktree to its own branch. Returns the problem if that fails; nothing is lost then. Git is kept from looking into
 * repositories inside of this one: it would run the filters that their settings name, and a command may have made them in the sandbox.
 */
async function commitAll(top: string, scope: ProgramScope): Promise<string | undefined> {
  const git = (args: readonly string[], input?: string) =>
    runProgram([...safeGit, '-C', top, ...args], top, input === undefined ? scope : { ...scope, input });
  const status = await git(['status', '--porcelain', '--ignore-submodules=dirty']);
  if (status?.code !== 0) return `has a state that git cannot tell: ${lastLine(status?.errors)}`;
  if (status.output.length === 0) return undefined;
  if (/^(?:U.|.U|AA|DD) /mu.test(status.output.toString('utf8')))
    return 'has conflicts that are not resolved; resolve and commit them first';
  if (!(await hasAuthor(git))) return noAuthor;
  const listed = await git(['ls-files', '--stage', '-z']);
  const inner = [...(listed?.output.toString('utf8') ?? '').matchAll(innerRepository)].map(([, path = '']) => path);
  const steps: { args: string[]; input?: string }[] = [
    { args: ['add', '--all', '--', ':(top)', ...inner.map((path) => `:(exclude,literal,top)${path}`)] },
    // Their commits are taken over by name, without a look at their files.
    { args: ['update-index', '-z', '--remove', '--stdin'], input: inner.join('\0') },
    { args: ['commit', '--quiet', '--message', 'Work of a conversation'] },
  ];
  for (const { args, input } of steps) {
    const done = await git(args, input);
    if (done?.code !== 0) return `has changes that could not be committed: ${lastLine(done?.errors)}`;
  }
  return undefined;
}

const noAuthor =
  'needs a commit, and git does not know its author; run git config --global user.name "Your Name" and git config --global user.email you@example.org, then merge again';

/** Returns true if git knows a name and an address to commit with. */
async function hasAuthor(git: Git): Promise<boolean> {
  const known = await Promise.all(['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT'].map((name) => git(['var', name])));
  return known.every((one) => one?.code === 0);
}

/** An entry of the index that names a commit of another repository. */
const innerRepository = /160000 [0-9a-f]+ \d\t([^\0]+)\0/gu;

async function checkoutOf(branch: string, git: Git): Promise<string | undefined> {
  const listed = await textOf(git(['worktree', 'list', '--porcelain']));
  const found = (listed ?? '').split('\n\n').find((entry) => entry.split('\n').includes(`branch refs/heads/${branch}`));
  return found === undefined ? undefined : /^worktree (.+)$/mu.exec(found)?.[1];
}

async function textOf(running: ReturnType<typeof runProgram>): Promise<string | undefined> {
  const result = await running;
  return result?.code === 0 ? result.output.toString('utf8').trimEnd() : undefined;
}

function lastLine(text = ''): string {
  return text.trimEnd().split('\n').at(-1) || 'git could not be started';
}

function firstLines(text = ''): string {
  return (
    text
      .trim()
      .split('\n')
      .slice(0, 6)
      .map((line) => line.trim())
      .join(' ') || 'git could not be started'
  );
}
