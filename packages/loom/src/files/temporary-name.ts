import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';

/** A name beside a file for what will take its place once it is complete. */
export function temporaryName(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`);
}

/** The file that a temporary name stands for; any other path as it is. People are told of the file that they know. */
export function fileOfTemporary(path: string): string {
  const [, name] = /^\.(.+)\.\d+-[0-9a-f]{12}\.tmp$/.exec(basename(path)) ?? [];
  return name === undefined ? path : join(dirname(path), name);
}
