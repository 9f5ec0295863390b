import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { LoomError } from './failure.ts';

/** Returns the data folder: --data-dir, else LOOM_DATA_DIR, else ~/.loom. A leading ~ means home, also where no shell saw it. */
export function resolveDataDir(option: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  const chosen = option ?? unlessBlank(env['LOOM_DATA_DIR']) ?? '~/.loom';
  if (chosen !== '~' && !chosen.startsWith('~/')) return refuseLong(resolve(chosen));
  const home = unlessBlank(env['HOME']) ?? homeOfAccount();
  return refuseLong(join(resolve(home), chosen.slice(2)));
}

function refuseLong(path: string): string {
  if (Buffer.byteLength(path) <= longestPath) return path;
  throw new LoomError('path-too-long', `the path of the data folder has more than ${longestPath} bytes`, {
    advice: 'Name a folder with a shorter path with --data-dir or LOOM_DATA_DIR.',
  });
}

/** SQLite takes 512 bytes, with the name of the file. */
const longestPath = 480;

function unlessBlank(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}

/** Programs that a system starts often have no HOME, and in a container the user may have no account either. */
function homeOfAccount(): string {
  try {
    return userInfo().homedir;
  } catch (error) {
    throw new LoomError('no-home', 'HOME is not set, and this user has no home directory', {
      advice: 'Set HOME, or name the folder for your data with --data-dir or LOOM_DATA_DIR.',
      cause: error,
    });
  }
}
