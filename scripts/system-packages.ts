import { spawn } from 'node:child_process';
import { findProgram } from './programs.ts';

/** A program of the system that tests need. */
interface SystemProgram {
  readonly title: string;
  /** The names that it may have. */
  readonly names: readonly string[];
  /** The package of Debian that has it. */
  readonly package: string;
  readonly tests: string;
  /** The variable that says where it is, if it is elsewhere. */
  readonly variable?: string;
}

const chromium: SystemProgram = {
  title: 'Chromium',
  names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  package: 'chromium',
  tests: 'the tests of the page',
  variable: 'LOOM_CHROMIUM',
};

const bubblewrap: SystemProgram = {
  title: 'Bubblewrap',
  names: ['bwrap'],
  package: 'bubblewrap',
  tests: 'the tests of the sandbox',
};

const postgres: SystemProgram = {
  title: 'PostgreSQL',
  names: ['postgres', 'initdb', 'pg_ctlcluster'],
  package: 'postgresql',
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

/**
 * Installs a program from the system's packages if it is missing and that can be done without asking anyone. If it cannot, the tests that
 * need it are skipped and say so.
 */
async function install(program: SystemProgram, say: Say): Promise<void> {
  if (has(program)) return;
  const { title, package: name, tests, variable } = program;
  const elsewhere = variable === undefined ? '' : `, or set ${variable} to its path`;
  const advice = `Install it with your package manager (Debian: apt-get install ${name})${elsewhere}.`;
  const apt = findProgram(['apt-get']);
  const sudo = process.getuid?.() === 0 ? undefined : findProgram(['sudo']);
  if (process.platform !== 'linux' || apt === undefined || (process.getuid?.() !== 0 && sudo === undefined)) {
    say(`There is no ${title}, so ${tests} are skipped. ${advice}`);
    return;
  }
  say(`Installing ${title} from the system’s packages, for ${tests}.`);
  const words = [apt, '-o', 'DPkg::Lock::Timeout=120', 'install', '-y', '--no-install-recommends', name];
  const [installer = apt, ...args] = sudo === undefined ? words : [sudo, '-n', ...words];
  const isDone =
    (await run(installer, args)) || ((await run(installer, updateOf(args))) && (await run(installer, args)));
  say(isDone ? `Installed ${title}.` : `${title} could not be installed, so ${tests} are skipped. ${advice}`);
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
