// One installation at a time. The process that installs holds a turn: a numbered directory that names the process. Numbers only grow
// and the highest turn is never deleted, so two processes that find the same turn abandoned cannot both take the next one.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { InstallError } from './install-advice.mjs';

const pollMilliseconds = 200;
const silenceMilliseconds = 120_000;

/**
 * Waits until no other process installs, then keeps others waiting until `end()`. `coverProcess` adds a child to the turn: if this
 * process is killed, the turn lasts as long as the child, which goes on writing.
 * @param {string} directory
 * @param {(text: string) => void} say
 */
export async function takeTurn(directory, say) {
  mkdirSync(directory, { recursive: true });
  let told = '';
  let silent = 0;
  let lastSign = 0;
  for (;;) {
    const latest = latestTurn(directory);
    const holder = latest === 0 ? undefined : describeHolder(join(directory, `turn-${latest}`));
    if (holder === undefined) {
      const taken = tryToTake(directory, latest + 1);
      if (taken !== undefined) return taken;
      continue;
    }
    if (told !== holder.text) say(`${holder.text}; waiting for it to end.`);
    told = holder.text;
    silent = holder.sign === lastSign ? silent + pollMilliseconds : 0;
    lastSign = holder.sign;
    if (silent > silenceMilliseconds) {
      throw new InstallError(
        `${holder.text}, but has shown no sign of life for ${silenceMilliseconds / 1000} s.`,
        `If that process is something else (numbers are reused after a restart), delete ${directory} and run the command again.`,
      );
    }
    await delay(pollMilliseconds);
  }
}

/**
 * @param {string} directory
 * @param {number} number
 */
function tryToTake(directory, number) {
  const turn = join(directory, `turn-${number}`);
  const prepared = mkdtempSync(join(directory, 'prepared-'));
  writeFileSync(join(prepared, 'pid'), String(process.pid));
  try {
    renameSync(prepared, turn);
  } catch (error) {
    rmSync(prepared, { recursive: true });
    if (error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST'))
      return undefined;
    throw error;
  }
  // Between looking and taking, later turns may have come and cleared this number away.
  if (latestTurn(directory) !== number) {
    rmSync(turn, { recursive: true });
    return undefined;
  }
  for (const name of readdirSync(directory)) {
    if (turnNumber(name) < number) rmSync(join(directory, name), { recursive: true, force: true });
  }
  const signs = setInterval(() => utimesSync(join(turn, 'pid'), new Date(), new Date()), 1000);
  signs.unref();
  return {
    /** @param {number} pid */
    coverProcess: (pid) => writeFileSync(join(turn, 'child-pid'), String(pid)),
    end() {
      clearInterval(signs);
      writeFileSync(join(turn, 'ended'), '');
    },
  };
}

/**
 * Returns the process that holds a turn and the time of its last sign of life; undefined when the turn has ended or its processes are gone.
 * @param {string} turn
 */
function describeHolder(turn) {
  if (existsSync(join(turn, 'ended'))) return undefined;
  const sign = statSync(join(turn, 'pid'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const pid = readPid(join(turn, 'pid'));
  if (isAlive(pid)) return { text: `Another process (${pid}) is installing`, sign };
  const child = readPid(join(turn, 'child-pid'));
  if (isAlive(child))
    return { text: `The npm (process ${child}) of an interrupted installation is still running`, sign };
  return undefined;
}

/** @param {string} directory */
function latestTurn(directory) {
  return Math.max(0, ...readdirSync(directory).map(turnNumber).filter(Number.isFinite));
}

/** @param {string} name */
function turnNumber(name) {
  return name.startsWith('turn-') ? Number(name.slice('turn-'.length)) : Number.NaN;
}

// 0 stands for no process: the file may be gone already, together with its turn.
/** @param {string} file */
function readPid(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  if (pid === 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    // Not ours to signal, but there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Dead, but not yet collected by its parent, which in a container may never happen.
 * @param {number} pid
 */
function isZombie(pid) {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) && /\) Z /u.test(readFileSync(file, 'utf8'));
}
