// Brings node_modules in step with package-lock.json, so that a fresh clone needs no instructions. Plain JavaScript without
// dependencies: it has to run on the machine's own Node, before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants as system } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { adviceFor, InstallError, readableTail } from './install-advice.mjs';
import { showProgress } from './install-progress.mjs';
import { takeTurn } from './install-turn.mjs';
import { readLockFile } from './lock-file.mjs';
import { findNpm, isExecutable, requireSupportedMachine } from './machine.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const lockFile = join(root, 'package-lock.json');
const modules = join(root, 'node_modules');
// Written last, so that its presence means that everything before it succeeded.
const installedLockFile = join(modules, '.loom-lock.json');
const pinnedNode = join(modules, '.bin', 'node');

/** Installs what package-lock.json names unless that is in place already; ends the process with advice when it cannot. */
export async function bootstrap() {
  try {
    if (reasonToInstall() === undefined) return;
    requireSupportedMachine();
    const turn = await takeTurn(join(root, '.cache', 'install'), say);
    try {
      const reason = reasonToInstall();
      if (reason === undefined) say('The other process has installed everything.');
      else await install(reason, turn);
    } finally {
      turn.end();
    }
  } catch (error) {
    const known = error instanceof InstallError ? error : InstallError.ofFileSystem(error, root);
    if (known === undefined) throw error;
    say(`\n${known.message}\n\n${known.advice}\n`);
    process.exit(known.exitCode);
  }
}

/**
 * Runs the pinned Node in the caller's place.
 * @param {string[]} args
 */
export async function runPinnedNode(args) {
  await runInPlace(pinnedNode, args);
}

/**
 * Runs a program in the caller's place: same terminal, same directory, same exit.
 * @param {string} program
 * @param {string[]} args
 */
export async function runInPlace(program, args) {
  // The terminal sends Ctrl-C to the child as well; this process only has to outlive it. Others must be passed on.
  process.on('SIGINT', () => {});
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP'])) process.on(signal, () => child.kill(signal));
  const child = spawn(program, args, { stdio: 'inherit' });
  const { code, signal } = await ending(child);
  process.exit(signal === null ? (code ?? 1) : exitCodeOf(signal));
}

/** Returns the reason node_modules does not match package-lock.json, or undefined when it does. */
function reasonToInstall() {
  if (!existsSync(modules)) return 'there is no node_modules yet';
  if (!existsSync(installedLockFile)) return 'node_modules was not completed by an earlier run';
  if (!readFileSync(lockFile).equals(readFileSync(installedLockFile))) {
    return 'package-lock.json has changed since the last installation';
  }
  return isExecutable(pinnedNode) ? undefined : 'the pinned Node is missing from node_modules';
}

/**
 * @param {string} reason
 * @param {{ coverProcess: (pid: number) => void }} turn
 */
async function install(reason, turn) {
  // The bytes that npm is about to install from: should the file change meanwhile, the next run sees the difference.
  const lockBytes = readFileSync(lockFile);
  const lock = readLockFile(lockBytes.toString('utf8'));

  const started = performance.now();
  const npm = findNpm(root);
  say(`Installing what package-lock.json names (npm ci), because ${reason}.`);
  clearModules();
  const stopProgress = showProgress(root, lock);
  const { output, code, signal } = await runNpm(npm, turn).finally(stopProgress);
  if (signal !== null) {
    throw new InstallError(
      `The installation was ended by ${signal}.`,
      'Run the command again to repair it.',
      exitCodeOf(signal),
    );
  }
  if (code !== 0) {
    throw new InstallError(`npm ci failed (exit code ${code}):\n\n${readableTail(output)}`, adviceFor(output, root));
  }
  verifyPinnedNode(lock, output);
  const written = `${installedLockFile}.${process.pid}`;
  writeFileSync(written, lockBytes);
  renameSync(written, installedLockFile);
  say(`Installed in ${Math.round((performance.now() - started) / 1000)} s.`);
}

/**
 * @param {{ command: string, environment: NodeJS.ProcessEnv }} npm
 * @param {{ coverProcess: (pid: number) => void }} turn
 */
async function runNpm(npm, turn) {
  // Warnings would only be about the machine's old Node; --include undoes NODE_ENV=production and omit settings.
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--include=dev', '--include=optional'];
  /** @type {NodeJS.Signals | null} */
  let received = null;
  /** @type {(signal: NodeJS.Signals) => void} */
  const passOn = (signal) => {
    received = signal;
    child.kill(signal);
  };
  // Before npm is started: a signal in between would end this process and leave npm alone.
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
  for (const signal of signals) process.on(signal, passOn);
  const child = spawn(npm.command, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: npm.environment,
  });
  if (child.pid !== undefined) turn.coverProcess(child.pid);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => (output += text));
  }
  const { code, signal } = await ending(child);
  for (const name of signals) process.removeListener(name, passOn);
  return { output, code, signal: received ?? signal };
}

/**
 * `npm ci` would do the same, but after a while in which the old packages look like new ones. The record of the last
 * installation goes first. The directory itself stays: it may be the mount point of a volume.
 */
function clearModules() {
  rmSync(installedLockFile, { force: true });
  if (!existsSync(modules)) return;
  for (const name of readdirSync(modules)) rmSync(join(modules, name), { recursive: true, force: true });
}

/**
 * npm may report success without the runtime: its files come by an install script, which settings can forbid.
 * @param {import('./lock-file.mjs').LockFile} lock
 * @param {string} output
 */
function verifyPinnedNode(lock, output) {
  const expected = `v${lock.packages['node_modules/node']?.version}`;
  const run = spawnSync(pinnedNode, ['--version'], { encoding: 'utf8' });
  const found = run.stdout?.trim();
  if (found === expected) return;
  const npmSaid = output.trim() === '' ? '' : `\n\nnpm said:\n${readableTail(output)}`;
  if (!isExecutable(pinnedNode)) {
    throw new InstallError(
      `The packages are installed, but the pinned Node (${expected}) is not among them.${npmSaid}`,
      'Its files are put in place by an install script. If `npm config get ignore-scripts` prints true, run `npm_config_ignore_scripts=false npm start` once.',
    );
  }
  throw new InstallError(
    `The pinned Node does not run here: expected ${expected}, found ${found || run.error?.message || run.stderr.trim()}.${npmSaid}`,
    `There may be no build of it for this system (${process.platform} ${process.arch}). Loom runs on Linux with glibc and on macOS, x64 and arm64.`,
  );
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<{ code: number | null, signal: NodeJS.Signals | null }>}
 */
function ending(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
    // Its own children may hold the pipes open after a signal; their output is not waited for then.
    child.once('exit', (code, signal) => signal !== null && resolve({ code, signal }));
  });
}

// As a shell reports it.
/** @param {NodeJS.Signals} signal */
function exitCodeOf(signal) {
  return 128 + system.signals[signal];
}

// Standard output belongs to the command that is run afterwards.
/** @param {string} text */
function say(text) {
  process.stderr.write(`${text}\n`);
}

if (realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) await bootstrap();
