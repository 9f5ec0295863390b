import { LoomError } from '../command-line/failure.ts';
import { errorCode } from '@loom/data-folder/files';
import { fileOfTemporary } from '@loom/stores/disk';

/** Turns a system error about a file into a failure of the command: which file, and what to do. Returns anything else unchanged. */
export function explainSystemRefusal(error: unknown): unknown {
  // An error with an address is about the network.
  if (!(error instanceof Error) || 'address' in error) return error;
  const path = 'path' in error && typeof error.path === 'string' ? fileOfTemporary(error.path) : 'a file';
  switch (errorCode(error)) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new LoomError('not-permitted', `you do not have permission to use ${path}`, {
        advice: 'Check who owns it and its folder (ls -ld) and correct their permissions, or choose another place.',
        details: { path },
        cause: error,
      });
    case 'ENOTDIR':
      return new LoomError('no-folder', `a part of the path ${path} is a file, not a folder`, {
        advice: 'Check the path.',
        details: { path },
        cause: error,
      });
    case 'ENOENT':
      // Its parent exists but takes no folders, as /proc.
      if (!('syscall' in error) || error.syscall !== 'mkdir') return error;
      return new LoomError('no-folder', `no folder can be made at ${path}`, {
        advice: 'Choose another place.',
        details: { path },
        cause: error,
      });
    case 'ENOSPC':
    case 'EDQUOT':
      return new LoomError('disk-full', `the disk has no room for ${path}`, {
        advice: 'Free some space, or choose another disk. What was there before is unchanged.',
        details: { path },
        cause: error,
      });
    default:
      return error;
  }
}
