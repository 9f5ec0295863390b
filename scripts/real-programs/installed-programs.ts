import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The programs that are tried, pinned: their formats change with every version. */
export const versions = { claude: '2.1.325', codex: '0.166.0' };

/** A newer Codex, which is tried as a provider beside the pinned one. */
export const newerCodex = '0.169.0';

export interface InstalledPrograms {
  readonly claude: string;
  readonly codex: string;
}

/** The free space needed, in bytes: both programs take 800 MB, and npm needs as much again while it unpacks them. */
const neededBytes = 2 * 1024 ** 3;

/** Installs the programs into a temporary folder, once for their versions. No script of theirs runs. Throws what to tell a person. */
export function installPrograms(): InstalledPrograms {
  const folder = join(tmpdir(), `loom-real-programs-${versions.claude}-${versions.codex}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Its name can be guessed: a program that another user has put there is not run.
  if (statSync(folder).uid !== process.getuid?.()) throw new Error(`${folder} is not yours. Delete it, or set TMPDIR.`);
  const found = existsSync(join(folder, wholeMark)) ? locate(folder) : undefined;
  if (found !== undefined) return found;
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < neededBytes) throw new Error(`${folder} has less than 2 GB of room. Make room, or set TMPDIR.`);
  // npm takes a program that it has unpacked in part for one that is there.
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const packages = [`@anthropic-ai/claude-code@${versions.claude}`, `@openai/codex@${versions.codex}`];
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const installed = locate(folder);
  if (installed === undefined) throw new Error(`The programs are not there for ${process.platform} ${process.arch}.`);
  writeFileSync(join(folder, wholeMark), '');
  return installed;
}

/** Installs a Codex into a temporary folder, once for its version, and returns its path. */
export function installCodex(version: string): string {
  const folder = join(tmpdir(), `loom-real-codex-${version}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (statSync(folder).uid !== process.getuid?.()) throw new Error(`${folder} is not yours. Delete it, or set TMPDIR.`);
  const path = codexIn(join(folder, 'node_modules'));
  if (existsSync(join(folder, wholeMark)) && existsSync(path)) return path;
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', `@openai/codex@${version}`];
  execFileSync('npm', words, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  writeFileSync(join(folder, wholeMark), '');
  return path;
}

/** The mark written last: programs of an interrupted installation are not run. */
const wholeMark = 'installed';

function locate(folder: string): InstalledPrograms | undefined {
  const platform = `${process.platform}-${process.arch}`;
  const modules = join(folder, 'node_modules');
  const claude = join(modules, `@anthropic-ai/claude-code-${platform}`, 'claude');
  const codex = codexIn(modules);
  return existsSync(claude) && existsSync(codex) ? { claude, codex } : undefined;
}

function codexIn(modules: string): string {
  return join(modules, `@openai/codex-${process.platform}-${process.arch}`, 'vendor', target(), 'bin', 'codex');
}

function target(): string {
  const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  return process.platform === 'darwin' ? `${machine}-apple-darwin` : `${machine}-unknown-linux-musl`;
}
