import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The command lines of all processes that can be seen from here, each as one text; undefined where that cannot be known. */
export function runningCommands(): string[] | undefined {
  // A small Linux has no ps, macOS has no /proc.
  if (existsSync('/proc/self/cmdline')) {
    const processes = readdirSync('/proc').filter((name) => /^\d+$/u.test(name));
    return processes.map((name) => readCommand(join('/proc', name, 'cmdline')));
  }
  const { status, stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' });
  return status === 0 ? stdout.split('\n') : undefined;
}

function readCommand(file: string): string {
  try {
    return readFileSync(file, 'utf8').replaceAll('\0', ' ');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}
