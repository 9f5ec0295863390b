// The parts of package-lock.json that the set-up reads.
import { InstallError } from './install-advice.mjs';

/**
 * @typedef {{ version?: string, dev?: boolean, link?: boolean, optional?: boolean, os?: string[], cpu?: string[], libc?: string[],
 *   optionalDependencies?: Record<string, string> }} LockEntry
 * @typedef {{ packages: Record<string, LockEntry> }} LockFile
 */

/**
 * Reads the text of a package-lock.json of npm 7 or newer; its entries are taken as npm wrote them.
 * @param {string} text
 */
export function readLockFile(text) {
  const lock = parse(text);
  if (isLockFile(lock)) return lock;
  throw new InstallError(
    'package-lock.json is damaged: it is not JSON with `packages`.',
    'Take it from version control again (`git checkout package-lock.json`). In the middle of a merge take one side of it, then run `npm install` and `npm run lock:complete`.',
  );
}

/**
 * @param {string} text
 * @returns {unknown}
 */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * @param {unknown} value
 * @returns {value is LockFile}
 */
function isLockFile(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    'packages' in value &&
    typeof value.packages === 'object' &&
    value.packages !== null
  );
}
