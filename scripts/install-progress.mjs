// Shows the progress of `npm ci`, which prints none: the packages of the lock file that have arrived on disk.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Shows the progress: on a terminal one line that is kept up to date, elsewhere a new line every few seconds. Returns a function that ends it.
 * @param {string} root
 * @param {import('./lock-file.mjs').LockFile} lock
 * @param {{ isTTY: boolean, write: (text: string) => unknown }} screen
 * @param {(action: () => void, milliseconds: number) => () => void} every calls again and again until its result is called
 */
export function showProgress(root, lock, screen = process.stderr, every = repeat) {
  const expected = expectedPackages(lock);
  const started = performance.now();
  const live = screen.isTTY && process.env['CI'] === undefined;
  const show = () => {
    const present = expected.filter((place) => existsSync(join(root, place, 'package.json'))).length;
    const seconds = Math.round((performance.now() - started) / 1000);
    const last = present === expected.length ? ', fetching the pinned Node' : '';
    const line = `  ${present} of ${expected.length} packages${last} (${seconds} s)`;
    screen.write(live ? `${clearLine}${line}` : `${line}\n`);
  };
  const end = every(show, live ? 200 : 4000);
  return () => {
    end();
    if (live) screen.write(clearLine);
  };
}

const clearLine = '\r\u001B[K';

/** @type {(action: () => void, milliseconds: number) => () => void} */
function repeat(action, milliseconds) {
  const timer = setInterval(action, milliseconds);
  return () => clearInterval(timer);
}

/**
 * The places in node_modules that npm fills on this machine: everything but links to the
 * packages of this repository and optional builds for other platforms.
 * @param {import('./lock-file.mjs').LockFile} lock
 */
function expectedPackages(lock) {
  return Object.entries(lock.packages)
    .filter(([place, entry]) => place.includes('node_modules/') && isExpectedHere(entry))
    .map(([place]) => place);
}

/** @param {import('./lock-file.mjs').LockEntry} entry */
function isExpectedHere({ link, optional, os, cpu, libc }) {
  if (link === true) return false;
  if (optional !== true) return true;
  // An optional package without a platform belongs to a build for WebAssembly, which no machine needs that has its own.
  if (os === undefined && cpu === undefined) return false;
  // musl is refused before anything is installed.
  return [os?.includes(process.platform), cpu?.includes(process.arch), libc?.includes('glibc')].every(
    (fits) => fits ?? true,
  );
}
