import { spawn } from 'node:child_process';
import { findProgram } from './programs.ts';

/** A program of the system that tests need. */
interface SystemProgram {
  readonly title: string;
  /** The names that it may have. */
  readonly names: readonly string[];
  /** The packages of Debian that have it, the best first: not every release has each of them. */
  readonly packages: readonly string[];
  readonly tests: string;
  /** The variable that says where it is, if it is elsewhere. */
  readonly variable?: string;
}

const chromium: SystemProgram = {
  title: 'Chromium',
  names: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  packages: ['chromium-headless-shell', 'chromium'],
  tests: 'the tests of the page',
  variable: 'LOOM_CHROMIUM',
};

const bubblewrap: SystemProgram = {
  title: 'Bubblewrap',
  names: ['bwrap'],
  packages: ['bubblewrap'],
  tests: 'the tests of the sandbox',
};

const postgres: SystemProgram = {
  title: 'PostgreSQL',
  names: ['postgres', 'initdb', 'pg_ctlcluster'],
  packages: ['postgresql'],
  tests: 'the tests of the store in PostgreSQL',
  variable: 'DATABASE_URL',
};

type Say = (line: string) => void;

/** Installs Chromium if it is missing. */
export function installChromium(say: Say): Promise<void> {
  return install(chromium, say);
}

/** Installs bubblewrap if it is missing. */
export function installBubblewrap(say: Say): Promise<void> {
  return process.platform === 'linux' ? install(bubblewrap, say) : Promise.resolve();
}

/** Installs PostgreSQL if it is missing. */
export function installPostgres(say: Say): Promise<void> {
  return install(postgres, say);
}

export function hasChromium(): boolean {
  return has(chromium);
}

/** Returns the path of the browser to measure with. */
export function findChromium(): string | undefined {
  return process.env['LOOM_CHROMIUM'] ?? findProgram(chromium.names);
}

/**
 * Installs a program from the system's packages if it is missing and that can be done without asking anyone. If it cannot, the tests that
 * need it are skipped and say so.
 */
async function install(program: SystemProgram, say: Say): Promise<void> {
  if (has(program)) return;
  const { title, packages, tests, variable } = program;
  const elsewhere = variable === undefined ? '' : `, or set ${variable} to its path`;
  const advice = `Install it with your package manager (Debian: apt-get install ${packages[0]})${elsewhere}.`;
  const apt = findProgram(['apt-get']);
  const sudo = process.getuid?.() === 0 ? undefined : findProgram(['sudo']);
  if (process.platform !== 'linux' || apt === undefined || (process.getuid?.() !== 0 && sudo === undefined)) {
    say(`There is no ${title}, so ${tests} are skipped. ${advice}`);
    return;
  }
  say(`Installing ${title} from the system’s packages, for ${tests}.`);
  const words = [apt, '-o', 'DPkg::Lock::Timeout=120', 'install', '-y', '--no-install-recommends'];
  const [installer = apt, ...args] = sudo === undefined ? words : [sudo, '-n', ...words];
  const isDone =
    (await installOne(installer, args, packages)) ||
    ((await run(installer, updateOf(args))) && (await installOne(installer, args, packages)));
  say(isDone ? `Installed ${title}.` : `${title} could not be installed, so ${tests} are skipped. ${advice}`);
}

/** Installs the first of several packages that there is. */
async function installOne(installer: string, args: readonly string[], packages: readonly string[]): Promise<boolean> {
  for (const name of packages) if (await run(installer, [...args, name])) return true;
  return false;
}

function has({ names, variable }: SystemProgram): boolean {
  return (variable !== undefined && process.env[variable] !== undefined) || findProgram(names) !== undefined;
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
