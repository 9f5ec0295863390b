import type { SandboxPlan } from './bubblewrap.ts';

/**
 * Returns the arguments of macOS's sandbox-exec for a command. Untested: no machine with macOS was at hand. The last rule that matches
 * counts.
 */
export function sandboxExecArguments(plan: SandboxPlan, command: readonly string[]): string[] {
  return ['-p', sandboxProfile(plan), ...command];
}

function sandboxProfile({ directory, isReadOnly = false, hasNetwork = false, hidden }: SandboxPlan): string {
  const temporary = ['/private/tmp', '/private/var/folders', '/dev'];
  const writable = isReadOnly ? temporary : [...temporary, directory];
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    ...writable.map((path) => `(allow file-write* (subpath ${quote(path)}))`),
    ...hidden
      .filter(({ path }) => path !== directory)
      .map(
        ({ path, isFolder }) => `(deny file-read* file-write* (${isFolder ? 'subpath' : 'literal'} ${quote(path)}))`,
      ),
    `(deny file-write* (subpath ${quote(`${directory}/.git/hooks`)}) ${literals(directory, ['config', 'config.worktree', 'commondir'])})`,
    `(deny file-write-unlink (literal ${quote(`${directory}/.git`)}))`,
    ...(hasNetwork ? [] : ['(deny network*)']),
    '(deny process-info* (target others))',
    '(deny signal (target others))',
    '(allow signal (target same-sandbox))',
  ].join('\n');
}

function literals(directory: string, names: readonly string[]): string {
  return names.map((name) => `(literal ${quote(`${directory}/.git/${name}`)})`).join(' ');
}

function quote(path: string): string {
  return JSON.stringify(path);
}
