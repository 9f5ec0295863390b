/** The reasons for which a path of a folder cannot be used. */
export type PathProblem =
  | 'outside'
  | 'bad-name'
  | 'not-found'
  | 'not-a-file'
  | 'not-a-folder'
  | 'too-large'
  | 'not-permitted'
  | 'changed'
  | 'exists'
  | 'failed';

/** A path that was refused. Nothing was done with it. Its message says what is wrong and what to do, for a model or a person. */
export class PathError extends Error {
  readonly code: PathProblem;
  readonly path: string;

  constructor(code: PathProblem, path: string, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'PathError';
    this.code = code;
    this.path = path;
  }
}

/** Returns the code of an error of the system, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Turns an error of the system into a refusal of the path; one that is a refusal already stays as it is. */
export function asPathError(error: unknown, path: string): PathError {
  if (error instanceof PathError) return error;
  const code = systemCode(error);
  const [problem, words] = worded.get(code ?? '') ?? [
    'failed' as const,
    `could not be used (${code ?? String(error)})`,
  ];
  return new PathError(problem, path, `${path} ${words}.`, { cause: error });
}

const worded = new Map<string, readonly [PathProblem, string]>([
  ['ENOENT', ['not-found', 'does not exist']],
  ['ENOTDIR', ['not-a-folder', 'leads through something that is not a folder']],
  ['ELOOP', ['changed', 'was replaced by a link while it was being opened; try again']],
  ['EACCES', ['not-permitted', "cannot be used: the file's permissions do not allow it"]],
  ['EPERM', ['not-permitted', "cannot be used: the file's permissions do not allow it"]],
  ['EROFS', ['not-permitted', 'is on a read-only file system']],
  ['ENAMETOOLONG', ['bad-name', 'has a name that is too long']],
  ['EISDIR', ['not-a-file', 'is a folder']],
  ['EEXIST', ['exists', 'exists already']],
  ['ENOSPC', ['failed', 'could not be written: the disk is full. Nothing was changed']],
  ['EDQUOT', ['failed', 'could not be written: the quota is used up. Nothing was changed']],
]);
