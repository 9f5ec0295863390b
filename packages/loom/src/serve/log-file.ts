import { appendFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogEntry, WriteLog } from '@loom/server';
import { maskKeys, secretsOf } from '../secrets.ts';

/** The name of the file in the data folder. */
const logFile = 'loom.log';

export interface LogFileOptions {
  dataDir: string;
  now: () => number;
  /** The size at which a new file is begun, in bytes. Default: 5 MB. */
  limit?: number;
  /** The most files there are, this one included. Default: 3. */
  files?: number;
  env?: Readonly<Record<string, string | undefined>>;
}

/** The log of a server: a JSON document on each line. */
export interface LogFile {
  write: WriteLog;
  /** Resolves when everything was written, or could not be. */
  flush(): Promise<void>;
}

/** The longest text of a field. */
const longestText = 1000;

/** The number of lines that may wait to be written; more are lost. */
const mostWaiting = 1000;

/**
 * Opens the log of a data folder. A line that cannot be written is lost, and keeps nothing else from going on: the next line is tried
 * again. A full file becomes `loom.log.1`, that one `loom.log.2`, and the oldest is gone.
 */
export function openLogFile({
  dataDir,
  now,
  limit = 5_000_000,
  files = 3,
  env = process.env,
}: LogFileOptions): LogFile {
  const path = join(dataDir, logFile);
  const secrets = secretsOf(env);
  const lines: string[] = [];
  let lost = 0;
  let writing: Promise<void> | undefined;

  const writeLines = async (): Promise<void> => {
    while (lines.length > 0) {
      const taken = lines.splice(0);
      try {
        await makeRoom(path, limit, files);
        await appendFile(path, taken.join(''), { mode: 0o600 });
        lost = 0;
      } catch {
        lost += taken.length;
      }
    }
    writing = undefined;
  };

  return {
    write(entry) {
      if (lines.length >= mostWaiting) {
        lost += 1;
        return;
      }
      const gap = lost === 0 ? {} : { lost };
      const line = JSON.stringify({ time: new Date(now()).toISOString(), ...bounded(entry), ...gap });
      lines.push(`${maskKeys(line, secrets)}\n`);
      writing ??= Promise.resolve().then(writeLines);
    },
    flush: async () => writing,
  };
}

async function makeRoom(path: string, limit: number, files: number): Promise<void> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size < limit) return;
  for (let number = files - 1; number >= 1; number -= 1) {
    const from = number === 1 ? path : `${path}.${number - 1}`;
    // A file that does not exist yet leaves nothing to move.
    await rename(from, `${path}.${number}`).catch(() => {});
  }
}

function bounded(entry: LogEntry): LogEntry {
  const cut = (value: LogEntry[string]): LogEntry[string] =>
    typeof value === 'string' && value.length > longestText ? `${value.slice(0, longestText)}…` : value;
  return { ...entry, ...Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, cut(value)])) };
}
