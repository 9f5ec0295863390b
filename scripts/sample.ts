import { spawnSync } from 'node:child_process';

/** The number that chooses this run's samples: `LOOM_SAMPLE`, else one of the commit, so that each tries others; 0 where git cannot tell. */
export function sampleNumber(root: string): string {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return process.env['LOOM_SAMPLE'] ?? sampleOfCommit(stdout ?? '');
}

export function sampleOfCommit(hash: string): string {
  return /^[0-9a-f]{8}/u.test(hash) ? String(Number.parseInt(hash.slice(0, 8), 16)) : '0';
}
