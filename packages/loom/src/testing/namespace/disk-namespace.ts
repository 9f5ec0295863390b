import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { z } from 'zod';

/** The outcome of a program with private file systems: its report, or the reason it could try nothing. */
export type NamespaceOutcome<Report> = { tried: true; report: Report } | { tried: false; reason: string };

/**
 * Runs a program that mounts what it likes, in separate namespaces: whatever way it ends, also by `kill -9` or with the process that
 * started it, its processes, mounts and loop devices are gone with it. It prints its report as its last line, and begins no other round
 * after `end`.
 */
export async function runInNamespace<Report>(
  program: string,
  args: readonly string[],
  report: z.ZodType<Report>,
  end = Infinity,
): Promise<NamespaceOutcome<Report>> {
  const child = spawn('unshare', [...namespaces(), process.execPath, program, ...args], {
    // The program ends when its standard input does.
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, LOOM_UNTIL: `${end}` },
  });
  const said = { out: '', note: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.note += text));
  const [code] = z.tuple([z.number().nullable(), z.string().nullable()]).parse(await once(child, 'close'));
  const last = said.out.trimEnd().split('\n').at(-1) ?? '';
  if (code === 0) return { tried: true, report: report.parse(JSON.parse(last)) };
  if (code === untried) return { tried: false, reason: last };
  throw new Error(`${program} ended with ${code}: ${said.note}${said.out}`);
}

/** Explains why nothing can be mounted here, and how to change that; `undefined` if it can. */
export function whyNoNamespace({ privileged }: { privileged: boolean }): string | undefined {
  if (process.platform !== 'linux') return 'needs Linux';
  if (privileged && process.getuid?.() !== 0) return 'needs root, for loop devices: run it with sudo';
  const { status, error, stderr } = spawnSync('unshare', [...namespaces(), 'true'], { encoding: 'utf8' });
  if (status === 0) return undefined;
  return `needs \`unshare\` with mount and process name spaces: ${(error?.message ?? stderr).trim()}`;
}

/** Must be called first by a program in a namespace: ends it with the process that started it. */
export function endWithParent(): void {
  process.stdin.on('end', () => process.exit(1)).resume();
}

/**
 * Returns the folder on which a program in a namespace mounts its file systems: one that every Linux has, which only this program sees
 * covered. Not a temporary one, because removing that from outside would tear the mounts off half way.
 */
export function mountPlace(): string {
  const needed = [process.execPath, import.meta.filename].map((path) => realpathSync(path));
  const place = ['/mnt', '/media', '/srv'].find(
    (folder) => existsSync(folder) && !needed.some((path) => path.startsWith(`${folder}/`)),
  );
  return place ?? giveUp('needs a folder /mnt, /media or /srv without this repository in it');
}

/** Reports, for a program in a namespace, that something it needs is missing, and ends it. */
export function giveUp(reason: string): never {
  process.stdout.write(`${reason.trim().replaceAll('\n', ' ')}\n`);
  process.exit(untried);
}

/** Prints the findings of a program in a namespace, and ends it. */
export function finish(report: unknown): never {
  process.stdout.write(`${JSON.stringify(report)}\n`);
  process.exit(0);
}

const untried = 75;

function namespaces(): string[] {
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  return [...user, '--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child', '--mount-proc', '--'];
}
