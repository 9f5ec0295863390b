import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The agents whose programs are tried. */
export type AgentKind = 'claude' | 'codex';

/** A program, and its version. */
export interface InstalledProgram {
  readonly version: string;
  readonly path: string;
}

/** The programs that are tried: the pinned ones, whose formats are known, and the newest ones. */
export type InstalledPrograms = Readonly<Record<AgentKind, readonly InstalledProgram[]>>;

/** The versions whose captures Loom was written from. */
const pinned: Readonly<Record<AgentKind, string>> = { claude: '2.1.325', codex: '0.166.0' };

const packages: Readonly<Record<AgentKind, string>> = {
  claude: '@anthropic-ai/claude-code',
  codex: '@openai/codex',
};

/** The free space needed, in bytes: a program takes 400 MB, and npm needs as much again while it unpacks it. */
const neededBytes = 1024 ** 3;

/** Installs the programs into temporary folders, once for each version. No script of theirs runs. Throws what to tell a person. */
export function installPrograms(): InstalledPrograms {
  const both = (kind: AgentKind): InstalledProgram[] =>
    [...new Set([pinned[kind], newestVersion(kind)])].map((version) => ({ version, path: install(kind, version) }));
  return { claude: both('claude'), codex: both('codex') };
}

function newestVersion(kind: AgentKind): string {
  const said = execFileSync('npm', ['view', packages[kind], 'version'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return said.trim();
}

/** Installs a program into a temporary folder, once for its version, and returns its path. */
function install(kind: AgentKind, version: string): string {
  const folder = join(tmpdir(), `loom-real-${kind}-${version}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Its name can be guessed: a program that another user has put there is not run.
  if (statSync(folder).uid !== process.getuid?.()) throw new Error(`${folder} is not yours. Delete it, or set TMPDIR.`);
  const path = locate[kind](join(folder, 'node_modules'));
  if (existsSync(join(folder, wholeMark)) && existsSync(path)) return path;
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < neededBytes) throw new Error(`${folder} has less than 1 GB of room. Make room, or set TMPDIR.`);
  // npm takes a program that it has unpacked in part for one that is there.
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', `${packages[kind]}@${version}`];
  execFileSync('npm', words, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  if (!existsSync(path)) throw new Error(`${kind} is not there for ${process.platform} ${process.arch}.`);
  writeFileSync(join(folder, wholeMark), '');
  return path;
}

/** The mark written last: programs of an interrupted installation are not run. */
const wholeMark = 'installed';

const platform = `${process.platform}-${process.arch}`;

const locate: Readonly<Record<AgentKind, (modules: string) => string>> = {
  claude: (modules) => join(modules, `@anthropic-ai/claude-code-${platform}`, 'claude'),
  codex: (modules) => join(modules, `@openai/codex-${platform}`, 'vendor', target(), 'bin', 'codex'),
};

function target(): string {
  const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  return process.platform === 'darwin' ? `${machine}-apple-darwin` : `${machine}-unknown-linux-musl`;
}
