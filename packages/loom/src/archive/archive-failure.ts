import { LoomError } from '../command-line/failure.ts';
import { errorCode } from '@loom/data-folder/files';
import { fileOfTemporary } from '@loom/stores/disk';

/** Runs work with archives and files, and tells what the system refuses as failures of the command. */
export async function explainArchives<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw explain(error);
  }
}

function explain(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const path = 'path' in error && typeof error.path === 'string' ? fileOfTemporary(error.path) : 'a file';
  switch (errorCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new LoomError('no-file', `there is no file ${path}`, { advice: 'Check the path.', cause: error });
    case 'EISDIR':
      return new LoomError('no-file', `${path} is a folder`, { advice: 'Name the file itself.', cause: error });
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new LoomError('not-permitted', `you do not have permission to use ${path}`, {
        advice: 'Correct its permissions, or choose another place.',
        cause: error,
      });
    case 'ENOSPC':
    case 'EDQUOT':
      return new LoomError('disk-full', `the disk has no room for ${path}`, {
        advice: 'Free some space, or choose another disk. What was there before is unchanged.',
        cause: error,
      });
    case 'EBUSY':
    case 'EXDEV':
      return new LoomError('not-movable', `${path} cannot be moved`, {
        advice: 'It may be a mount point. Restore into another folder with --data-dir.',
        cause: error,
      });
    default:
      return error;
  }
}
