import { encodeName, longestName } from '../disk/encoded-name.ts';

/** Throws if no store could keep a spool of this name. */
export function checkSpoolName(name: string): void {
  if (name === '') throw new TypeError('a spool needs a name');
  if (!name.isWellFormed()) throw new TypeError('the name of a spool has a lone surrogate, which no store can keep');
  if (encodeName(name).length <= longestName) return;
  throw new RangeError(
    `the name of a spool is longer than the ${longestName} characters that a file's name has room for`,
  );
}
