import { spawnSync } from 'node:child_process';

/**
 * The files that differ from where this line of work left the main branch: by commits, in the working tree, or new. On the main branch itself those of the
 * working tree, or of the last commit if there are none.
 */
export function listChangedFiles(root: string): string[] {
  const working = [
    ...git(root, 'diff', '--name-only', 'HEAD'),
    ...git(root, 'ls-files', '--others', '--exclude-standard'),
  ];
  const [head] = git(root, 'rev-parse', 'HEAD');
  const [base] = mainNames.flatMap((name) => git(root, 'merge-base', 'HEAD', name));
  const committed = base === undefined || base === head ? [] : git(root, 'diff', '--name-only', base, 'HEAD');
  const all = [...working, ...committed];
  return [...new Set(all.length > 0 ? all : git(root, 'diff', '--name-only', 'HEAD~1', 'HEAD'))].sort();
}

const mainNames = ['main', 'origin/main', 'master', 'origin/master'];

/** The lines that git answers; none if it refuses. */
function git(root: string, ...args: string[]): string[] {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e9 });
  return status === 0 ? stdout.split('\n').filter((line) => line !== '') : [];
}
