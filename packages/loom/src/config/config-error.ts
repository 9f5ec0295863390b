import { LoomError } from '../command-line/failure.ts';
import { errorCode } from '@loom/data-folder/files';
import { suggest } from '../command-line/suggested-command.ts';

/** The configuration cannot be read or written; no file was changed. */
export class ConfigError extends LoomError<ConfigErrorCode> {}

export type ConfigErrorCode =
  | 'bad-toml'
  | 'bad-type'
  | 'bad-encoding'
  | 'too-large'
  | 'cannot-read'
  | 'cannot-write'
  | 'locked';

/** Turns a failed system call into a failure that says what to do. */
export function systemFailure(code: 'cannot-read' | 'cannot-write', path: string, error: unknown): ConfigError {
  const errno = errorCode(error);
  const verb = code === 'cannot-read' ? 'read' : 'write';
  const known = errno === undefined ? undefined : CAUSES[errno];
  const reason = known?.reason ?? errno ?? 'unknown error';
  return new ConfigError(code, `cannot ${verb} ${path}: ${reason}`, {
    advice: known?.advice ?? seeSettings(),
    details: { file: path, errno },
    cause: error,
  });
}

const OTHER_PLACE = 'Choose another place with --data-dir or LOOM_DATA_DIR.';
const CAUSES: Readonly<Record<string, { reason: string; advice: string }>> = {
  EACCES: { reason: 'permission denied', advice: `Check who owns it (ls -ld). ${OTHER_PLACE}` },
  EPERM: { reason: 'operation not permitted', advice: `Check who owns it (ls -ld). ${OTHER_PLACE}` },
  EROFS: { reason: 'the file system is read-only', advice: OTHER_PLACE },
  ENOSPC: { reason: 'the disk is full', advice: 'Free some space and try again; nothing was changed.' },
  EDQUOT: { reason: 'your disk quota is used up', advice: 'Free some space and try again; nothing was changed.' },
  EISDIR: { reason: 'it is a directory', advice: 'Move it away; Loom keeps its settings in a file of that name.' },
  ENOTFILE: { reason: 'it is not a regular file', advice: 'Put a file in its place; Loom keeps its settings in one.' },
  ENOTDIR: { reason: 'a part of the path is a file, not a directory', advice: OTHER_PLACE },
  EEXIST: { reason: 'a file stands where a directory is needed', advice: OTHER_PLACE },
  ELOOP: { reason: 'its symbolic links go in circles', advice: 'Make the link point to a file.' },
  EIO: { reason: 'the disk reports an error', advice: 'It may be failing. Check it before you go on.' },
  ENAMETOOLONG: { reason: 'the path is too long', advice: OTHER_PLACE },
  ERR_SQLITE_ERROR: {
    reason: 'config.lock beside it cannot be locked',
    advice: 'Check who owns config.lock. It is empty and may be deleted while no loom is running.',
  },
  ENOENT: { reason: 'no such directory', advice: 'If it is a symbolic link, make the folder that it points to.' },
};

function seeSettings(): string {
  return `To see the settings in effect: ${suggest('config')}`;
}
