// `npm run real-programs`: tests what Loom writes for Claude Code and Codex, and what it reads of them, with the real programs. They are
// installed into a temporary folder and driven against emulators in a separate network, in which there is nothing but loopback.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPrograms } from './installed-programs.ts';
import type { InstalledPrograms } from './installed-programs.ts';

const inside = join(import.meta.dirname, 'inside.ts');
const page = join(import.meta.dirname, '../../docs/reference/real-programs.md');

try {
  const programs = installPrograms();
  const alone = spawnSync('unshare', ['-rn', 'sh', '-c', 'ip link set lo up'], { encoding: 'utf8' });
  if (alone.status !== 0) {
    throw new Error(
      `A network of its own cannot be made here, so nothing was tried: ${alone.stderr.trim() || String(alone.error)}`,
    );
  }
  const run = spawnSync(
    'unshare',
    ['-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', process.execPath, inside],
    {
      env: { ...process.env, LOOM_REAL_PROGRAMS: JSON.stringify(programs) },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  process.stdout.write(run.stdout);
  process.exitCode = run.status ?? 1;
  if (process.argv.includes('--write')) writeFileSync(page, pageOf(run.stdout, programs));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function pageOf(report: string, programs: InstalledPrograms): string {
  const rows = report
    .trim()
    .split('\n')
    .map((line) => {
      const [, result = '', what = '', found = ''] = /^(\w+) +((?:.*? live: )?.*?): (.*)$/u.exec(line) ?? [];
      return `| ${what.replaceAll('|', '\\|')} | ${result.toLowerCase()} | ${found.replaceAll('|', '\\|')} |`;
    });
  const versionsOf = (kind: keyof InstalledPrograms): string => programs[kind].map(({ version }) => version).join(', ');
  return `# The real programs

\`npm run real-programs\` installs the pinned and the newest \`@anthropic-ai/claude-code\` and \`@openai/codex\` into temporary folders and drives them against
emulators of their APIs, in a separate network in which there is nothing but loopback. It is not part of \`npm test\`: the programs take 1.6 GB.
\`npm run real-programs -- --write\` writes this page.

The last run was on ${new Date().toISOString().slice(0, 10)}, with Claude Code ${versionsOf('claude')} and Codex ${versionsOf('codex')}:

| what was tried | result | what came of it |
| --- | --- | --- |
${rows.join('\n')}
`;
}
