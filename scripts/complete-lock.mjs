// Makes package-lock.json complete for platforms other than this one. `npm install` leaves an optional package out of the lock file when
// its registry does not carry it (mirrors often hold only the builds of their own platform), and `npm ci` then refuses that very lock file.
// The name of such a package says all that npm needs to know in order to pass over it elsewhere. Run this after `npm install`; plain
// JavaScript, no dependencies.
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readLockFile } from './lock-file.mjs';

/** @typedef {import('./lock-file.mjs').LockEntry} LockEntry */

/**
 * The lock file's `packages` with an entry for every optional package that another entry asks for, in npm's own order. A
 * package whose name tells nothing of a platform is left out: npm would try to fetch it everywhere.
 * @param {Record<string, LockEntry>} locked
 * @returns {Record<string, LockEntry>}
 */
export function completePackages(locked) {
  const packages = { ...locked };
  // Shallow dependants first, so that theirs is the version at the top, as npm places it.
  const dependants = Object.entries(locked).sort(
    ([a], [b]) => a.split('node_modules').length - b.split('node_modules').length,
  );
  for (const [from, { dev, optionalDependencies }] of dependants) {
    for (const [name, version] of Object.entries(optionalDependencies ?? {})) {
      const found = placesSeenFrom(from, name).find((place) => packages[place] !== undefined);
      if (found !== undefined && packages[found]?.version === version) continue;
      const { cpu, libc, os } = platformOfName(name);
      if (cpu === undefined && os === undefined) continue;
      packages[found === undefined ? `node_modules/${name}` : placeInside(from, name)] = {
        version,
        ...(cpu && { cpu: [cpu] }),
        ...(dev && { dev }),
        ...(libc && { libc: [libc] }),
        optional: true,
        ...(os && { os: [os] }),
      };
    }
  }
  return Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en')));
}

/**
 * Reads the platform of a package from its name, e.g. `@oxlint/binding-linux-arm64-musl`.
 * @param {string} name
 */
function platformOfName(name) {
  const words = name.slice(name.indexOf('/') + 1).split(/[-.]/u);
  return {
    os: words.find((word) => systems.has(word)),
    cpu: words.find((word) => processors.has(word)),
    libc: words.some((word) => word.startsWith('musl'))
      ? 'musl'
      : words.some((word) => word.startsWith('gnu'))
        ? 'glibc'
        : undefined,
  };
}

const systems = new Set([
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]);
const processors = new Set([
  'arm',
  'arm64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
]);

/**
 * Returns the places where Node would look for a package when the one at `from` asks for it, nearest first.
 * @param {string} from
 * @param {string} name
 */
function placesSeenFrom(from, name) {
  const places = [];
  for (let base = from; base !== '';) {
    places.push(`${base}/node_modules/${name}`);
    const cut = base.lastIndexOf('/node_modules/');
    base = cut < 0 ? '' : base.slice(0, cut);
  }
  return [...places, `node_modules/${name}`];
}

/**
 * Beside the dependant if that is nested itself, else inside it: where npm puts a version that differs from the one at the top.
 * @param {string} from
 * @param {string} name
 */
function placeInside(from, name) {
  const parent = from.lastIndexOf('/node_modules/');
  return parent < 0 ? `${from}/node_modules/${name}` : `${from.slice(0, parent)}/node_modules/${name}`;
}

if (realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  const file = join(dirname(dirname(fileURLToPath(import.meta.url))), 'package-lock.json');
  const lock = readLockFile(readFileSync(file, 'utf8'));
  const packages = completePackages(lock.packages);
  const added = Object.keys(packages).length - Object.keys(lock.packages).length;
  if (added > 0) writeFileSync(file, `${JSON.stringify({ ...lock, packages }, undefined, 2)}\n`);
  console.log(
    added === 0 ? 'package-lock.json is complete.' : `package-lock.json: ${added} packages of other platforms added.`,
  );
}
