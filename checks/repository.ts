import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** The files that belong to the repository: tracked or new, but not ignored. Relative paths with `/`, sorted. */
export function listFiles(root: string): string[] {
  return (filesKnownToGit(root) ?? filesOnDisk(root)).sort();
}

/** Files that hold program text, generated and recorded ones excluded. */
export function listSources(root: string): string[] {
  return listFiles(root).filter((file) => /\.(?:[cm]?[jt]s|[jt]sx)$/u.test(file) && !file.includes('/fixtures/'));
}

export function readText(root: string, file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** The 1-based line of an offset. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Test files, the files beside them that exist for tests only, and the package that is one large test. */
export function isTestFile(file: string): boolean {
  return /\.test\.[cm]?[jt]sx?$/u.test(file) || /\/(?:testing|fixtures)\/|^packages\/simulator\//u.test(file);
}

export interface Manifest {
  /** Relative directory, `.` for the root. */
  readonly directory: string;
  readonly name: string;
  /** Entry (`.`, `./views`) → file relative to the package. */
  readonly exports: ReadonlyMap<string, string>;
  /** Entries that name no single file, but conditions; no check can follow them. */
  readonly conditionalEntries: readonly string[];
  readonly dependencies: ReadonlyMap<string, string>;
  readonly devDependencies: ReadonlyMap<string, string>;
}

/** The directories below packages/ that hold anything, whether or not they have a package.json. */
export function listPackageDirectories(root: string): string[] {
  const folder = join(root, 'packages');
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

/** A package.json in the parts that the checks read, or undefined when there is none. */
export function readManifest(root: string, directory: string): Manifest | undefined {
  const file = join(directory, 'package.json');
  if (!existsSync(join(root, file))) return undefined;
  const manifest = asRecord(JSON.parse(readText(root, file)));
  const targets =
    typeof manifest['exports'] === 'string' ? { '.': manifest['exports'] } : asRecord(manifest['exports']);
  const exports = stringEntries(targets);
  return {
    directory,
    name: typeof manifest['name'] === 'string' ? manifest['name'] : '',
    exports,
    conditionalEntries: Object.keys(targets).filter((entry) => !exports.has(entry)),
    dependencies: new Map([
      ...stringEntries(manifest['dependencies']),
      ...stringEntries(manifest['optionalDependencies']),
      ...stringEntries(manifest['peerDependencies']),
    ]),
    devDependencies: stringEntries(manifest['devDependencies']),
  };
}

/** The manifests of all packages. */
export function readPackages(root: string): Manifest[] {
  return listPackageDirectories(root)
    .map((name) => readManifest(root, `packages/${name}`))
    .filter((manifest) => manifest !== undefined);
}

/** The entries that other programs are meant to use: all but those that exist for tests. */
export function publicEntries({ directory, exports }: Manifest): { entry: string; file: string }[] {
  return [...exports]
    .map(([entry, target]) => ({ entry, file: posix.join(directory, target) }))
    .filter(({ file }) => !isTestFile(file));
}

/** Any JSON value as an object to look things up in; what is no object has no entries. */
export function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function stringEntries(value: unknown): Map<string, string> {
  const entries = new Map<string, string>();
  for (const [key, text] of Object.entries(asRecord(value))) if (typeof text === 'string') entries.set(key, text);
  return entries;
}

/** Undefined where git cannot tell: it is not installed, or refuses to look into a checkout of another user. */
function filesKnownToGit(root: string): string[] | undefined {
  if (!existsSync(join(root, '.git'))) return undefined;
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const { status, stdout } = spawnSync('git', args, {
    cwd: root,
    // A hook of git names its own repository in variables, which would hold for every directory.
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (status !== 0) return undefined;
  // A file deleted but not yet committed is still listed.
  return stdout.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));
}

// A downloaded archive has no .git, and neither have the temporary repositories of the checks' own tests.
function filesOnDisk(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isFile()) return [path];
    return entry.isDirectory() && !['.git', 'node_modules', '.cache', 'dist'].includes(entry.name)
      ? filesOnDisk(root, path)
      : [];
  });
}
