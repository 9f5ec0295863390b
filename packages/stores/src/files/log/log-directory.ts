import { createHash } from 'node:crypto';
import { decodeName, encodeName, longestName, percent } from '../../disk/encoded-name.ts';

/** The directory of a log: its name, with everything but letters, digits, `_` and `-` written as `%` and hex. */
export function logDirectory(log: string): string {
  const safe = encodeName(log);
  // The full name stands in the header of the log.
  if (safe.length > longestName) return `~${createHash('sha256').update(log).digest('hex')}`;
  return log === 'blobs' ? `${percent(0x62)}lobs` : safe;
}

/** The log that a directory is named after: `undefined` if there is none, `'hashed'` if only the header of the log tells. */
export function logOfDirectory(directory: string): { log: string } | 'hashed' | undefined {
  if (/^~[0-9a-f]{64}$/u.test(directory)) return 'hashed';
  const log = decodeName(directory);
  return log !== '' && logDirectory(log) === directory ? { log } : undefined;
}

/** The file of a projection, beside its log. */
export function projectionFile(name: string): string {
  return `projection-${logDirectory(name)}.jsonl`;
}

/** Returns true if a file beside a log is that of a projection, or was about to be. */
export function isProjection(file: string): boolean {
  return file.startsWith('projection-');
}

/** The projection that a file is named after; `undefined` if it is none, or only the file tells. */
export function nameOfProjection(file: string): string | undefined {
  const named = logOfDirectory(/^projection-(.+)\.jsonl$/u.exec(file)?.[1] ?? '');
  return typeof named === 'object' ? named.log : undefined;
}

/** Returns true if a file beside a log is the remains of a torn write. */
export function isLeftover(file: string): boolean {
  return /^(?:log|projection-.+)\.jsonl\.(?:torn-.+|lost-.+\.tmp|tmp)$/u.test(file);
}

/** Returns true if a file beside a log records that another log was there, which is gone. */
export function isLoss(file: string): boolean {
  return /^log\.jsonl\.lost-\d+-[0-9a-f]{8}$/u.test(file);
}
