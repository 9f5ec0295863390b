// The requirements of the setup on the machine: a Node, a system that the pinned Node has a build for, an npm.
import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join, sep } from 'node:path';
import { InstallError } from './install-advice.mjs';

/** Throws with advice where the pinned Node cannot be installed or could not run. */
export function requireSupportedMachine() {
  if (Number.parseInt(process.versions.node, 10) < 20) {
    throw new InstallError(
      `This is Node ${process.versions.node}; setting up needs Node 20 or newer.`,
      'Install a current Node from nodejs.org or with your package manager. Only the set-up uses it: Loom brings the Node that it runs on.',
    );
  }
  if (process.platform === 'win32') {
    throw new InstallError(
      'Loom does not run on Windows itself.',
      'Use it inside WSL (`wsl --install`), where these commands work as they are.',
    );
  }
  if (process.platform === 'linux' && isMusl()) {
    throw new InstallError(
      'This Linux uses musl instead of glibc (Alpine?), for which there is no build of the pinned Node.',
      'Use a distribution or container image based on glibc, such as Debian.',
    );
  }
}

/**
 * The machine's npm, and the environment to run it in.
 * @param {string} root
 */
export function findNpm(root) {
  const path = pathWithoutLocalBinaries(join(root, 'node_modules'));
  const command = path.map((directory) => join(directory, 'npm')).find(isExecutable);
  if (command !== undefined) return { command, environment: environmentForNpm(root, path) };
  throw new InstallError(
    'npm was not found on PATH.',
    'npm comes with Node: install Node 20 or newer from nodejs.org or with your package manager (some of them package npm apart), then run this command again.',
  );
}

/** @param {string} path */
export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isMusl() {
  const report = process.report;
  // Without this the report looks up the names of all open connections, which can take seconds.
  if ('excludeNetwork' in report) report.excludeNetwork = true;
  const { header } = { header: undefined, ...report.getReport() };
  return typeof header === 'object' && header !== null && !('glibcVersionRuntime' in header);
}

/**
 * npm puts node_modules/.bin first when it runs a script; npm itself must not run on the Node that it is about to replace.
 * @param {string} modules
 */
function pathWithoutLocalBinaries(modules) {
  const directories = (process.env['PATH'] ?? '').split(delimiter);
  // This Node's npm lives beside it, even if the directory is not on PATH.
  directories.push(dirname(process.execPath));
  const local = join('node_modules', '.bin');
  return directories.filter(
    (directory) => directory !== '' && !directory.endsWith(local) && !directory.startsWith(modules + sep),
  );
}

/**
 * Returns the environment for npm without the prefix of `npm --prefix <here> start`: with it every npm below takes this directory for
 * the place of global packages, and no longer finds the machine's settings there: its proxy, its certificates.
 * @param {string} root
 * @param {string[]} path
 */
function environmentForNpm(root, path) {
  /** @type {NodeJS.ProcessEnv} */
  const environment = { ...process.env, PATH: path.join(delimiter) };
  const prefix = environment['npm_config_prefix'];
  if (prefix !== undefined && existsSync(prefix) && realpathSync(prefix) === root) {
    for (const key of ['prefix', 'global_prefix', 'globalconfig']) delete environment[`npm_config_${key}`];
  }
  return environment;
}
