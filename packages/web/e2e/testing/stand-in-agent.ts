import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';

const program = join(import.meta.dirname, '../../../providers/src/claude-cli/testing/fake-claude.ts');

/**
 * Puts a program called `claude` on the path of a server, which talks as Claude Code does; there is no `codex` there. It is logged out while there is
 * a file `logged-out` in its folder, and says nothing while there is a file `silent`. Returns the environment of that server.
 */
export function standInAgent(t: TestContext): { env: Record<string, string>; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'loom-agent-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const loggedOut = join(folder, 'logged-out');
  const silent = join(folder, 'silent');
  const lines = [
    '#!/bin/sh',
    `while [ -e '${silent}' ]; do sleep 0.1; done`,
    `[ -e '${loggedOut}' ] && export LOGGED_IN=no`,
    `exec '${process.execPath}' '${program}' '${join(folder, 'log')}' "$@"`,
    '',
  ];
  writeFileSync(join(folder, 'claude'), lines.join('\n'));
  chmodSync(join(folder, 'claude'), 0o755);
  const others = (process.env['PATH'] ?? '').split(delimiter).filter((path) => /^\/(?:usr\/)?bin$/u.test(path));
  return { env: { PATH: [folder, ...others].join(delimiter), XDG_DATA_HOME: folder }, folder };
}
