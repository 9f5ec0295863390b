import { spawn } from 'node:child_process';
import { findProgram } from './programs.ts';

/** The names of Chromium's packages. */
const chromiumNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

export function hasChromium(): boolean {
  return process.env['LOOM_CHROMIUM'] !== undefined || findProgram(chromiumNames) !== undefined;
}

/**
 * Installs Chromium from the system's packages if it is missing and that can be done without asking anyone. If it cannot, the tests that
 * need it are skipped and say so.
 */
export async function installChromium(say: (line: string) => void): Promise<void> {
  if (hasChromium()) return;
  const advice =
    'Install it with your package manager (Debian: apt-get install chromium), or set LOOM_CHROMIUM to its path.';
  const apt = findProgram(['apt-get']);
  const sudo = process.getuid?.() === 0 ? undefined : findProgram(['sudo']);
  if (process.platform !== 'linux' || apt === undefined || (process.getuid?.() !== 0 && sudo === undefined)) {
    say(`There is no Chromium, so the tests of the page are skipped. ${advice}`);
    return;
  }
  say('Installing Chromium from the system’s packages, for the tests of the page.');
  const words = [apt, '-o', 'DPkg::Lock::Timeout=120', 'install', '-y', '--no-install-recommends', 'chromium'];
  const [program = apt, ...args] = sudo === undefined ? words : [sudo, '-n', ...words];
  const isDone = (await run(program, args)) || ((await run(program, updateOf(args))) && (await run(program, args)));
  say(
    isDone ? 'Installed Chromium.' : `Chromium could not be installed, so the tests of the page are skipped. ${advice}`,
  );
}

/** Returns the same command, to refresh the system's list of packages. */
function updateOf(args: readonly string[]): string[] {
  const at = args.indexOf('install');
  return [...args.slice(0, at), 'update'];
}

function run(program: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
}
