import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The programs that are tried, pinned: what they read and write changes with every version. */
export const versions = { claude: '2.1.325', codex: '0.166.0' };

export interface InstalledPrograms {
  readonly claude: string;
  readonly codex: string;
}

/** Both programs take 800 MB, and npm needs as much again while it unpacks them. */
const neededBytes = 2 * 1024 ** 3;

/** Installs the programs into a temporary folder, once for their versions. No script of theirs runs. Throws what to tell a person. */
export function installPrograms(): InstalledPrograms {
  const folder = join(tmpdir(), `loom-real-programs-${versions.claude}-${versions.codex}`);
  const found = locate(folder);
  if (found !== undefined) return found;
  mkdirSync(folder, { recursive: true });
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < neededBytes) throw new Error(`${folder} has less than 2 GB of room. Make room, or set TMPDIR.`);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const packages = [`@anthropic-ai/claude-code@${versions.claude}`, `@openai/codex@${versions.codex}`];
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const installed = locate(folder);
  if (installed === undefined) throw new Error(`The programs are not there for ${process.platform} ${process.arch}.`);
  return installed;
}

function locate(folder: string): InstalledPrograms | undefined {
  const platform = `${process.platform}-${process.arch}`;
  const modules = join(folder, 'node_modules');
  const claude = join(modules, `@anthropic-ai/claude-code-${platform}`, 'claude');
  const codex = join(modules, `@openai/codex-${platform}`, 'vendor', target(), 'bin', 'codex');
  return existsSync(claude) && existsSync(codex) ? { claude, codex } : undefined;
}

function target(): string {
  const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  return process.platform === 'darwin' ? `${machine}-apple-darwin` : `${machine}-unknown-linux-musl`;
}
