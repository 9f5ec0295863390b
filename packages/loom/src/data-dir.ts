import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Where data lives: --data-dir, else LOOM_DATA_DIR, else ~/.loom. A leading ~ means home, also where no shell saw it. */
export function resolveDataDir(option: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  const fromEnvironment = env['LOOM_DATA_DIR'];
  const chosen = option ?? (fromEnvironment === undefined || fromEnvironment === '' ? '~/.loom' : fromEnvironment);
  if (chosen === '~') return homedir();
  return chosen.startsWith('~/') ? join(homedir(), chosen.slice(2)) : resolve(chosen);
}
