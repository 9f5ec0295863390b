import { LoomError } from '../command-line/failure.ts';
import { errorCode } from '@loom/data-folder/files';
import { fileOfTemporary } from '@loom/stores/disk';
import { explainSystemRefusal } from '../words/system-refusal.ts';

/** Runs work with archives and files, and reports refusals of the system as failures of the command. */
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
    case 'EBUSY':
    case 'EXDEV':
      return new LoomError('not-movable', `${path} cannot be moved`, {
        advice: 'It may be a mount point. Restore into another folder with --data-dir.',
        cause: error,
      });
    default:
      return explainSystemRefusal(error);
  }
}
