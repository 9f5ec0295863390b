import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory, writeFiles } from '../../checks/testing/planted-repository.ts';

const repository = join(import.meta.dirname, '../..');

/**
 * A checkout with nothing installed, whose npm is a script that a test can hold, fail and watch. Its "pinned Node" prints how
 * it was called, and builds nothing.
 */
export class BareCheckout {
  readonly root: string;
  /** Directories for PATH: the fake npm and the system's commands, with the machine's Node in between. */
  readonly path: string[];

  constructor(t: TestContext) {
    this.root = join(temporaryDirectory(t), 'a checkout');
    mkdirSync(join(this.root, 'scripts'), { recursive: true });
    for (const file of [
      'bootstrap',
      'install-advice',
      'install-progress',
      'install-turn',
      'lock-file',
      'machine',
      'start',
      'test',
    ]) {
      cpSync(join(repository, `scripts/${file}.mjs`), join(this.root, `scripts/${file}.mjs`));
    }
    for (const file of ['loom', '.ci/run']) cpSync(join(repository, file), join(this.root, file));
    const machine = join(this.root, '../machine');
    writeFiles(this.root, {
      'package-lock.json': lockFile('26.10.0'),
      '../machine/npm': fakeNpm,
      '../machine/node': `#!/bin/sh\nexec "${process.execPath}" "$@"\n`,
      '../pinned-node': pinnedNode,
    });
    for (const file of ['machine/npm', 'machine/node', 'pinned-node']) chmodSync(join(this.root, '..', file), 0o755);
    execFileSync('mkfifo', [join(machine, 'started'), join(machine, 'gate')]);
    this.path = [machine, '/usr/bin', '/bin'];
  }

  /** Starts a command in the checkout; the environment is empty but for PATH, a HOME and the given variables. */
  start(command: readonly string[], options: { env?: Record<string, string>; cwd?: string } = {}): Running {
    const [file = '', ...args] = command;
    const child = spawn(file, args, {
      cwd: options.cwd ?? this.root,
      env: { PATH: this.path.join(':'), HOME: join(this.root, '../home'), ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const running = new Running(child);
    return running;
  }

  /** Runs the set-up to its end. */
  async setUp(env: Record<string, string> = {}): Promise<Ended> {
    return this.start(this.setUpCommand(), { env }).ended();
  }

  setUpCommand(): string[] {
    return [process.execPath, join(this.root, 'scripts/bootstrap.mjs')];
  }

  /** Returns the calls of npm with their arguments. */
  npmCalls(): string[] {
    const log = join(this.root, '../machine/calls');
    return existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
  }

  /** Waits for an npm started with FAKE_NPM=held to arrive, and returns its process id. */
  async npmStarted(): Promise<number> {
    return Number(await readFile(join(this.root, '../machine/started'), 'utf8'));
  }

  /** Lets a held npm go on. */
  async openGate(): Promise<void> {
    const gate = await open(join(this.root, '../machine/gate'), 'w');
    await gate.write('go\n');
    await gate.close();
  }
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running command, and its output so far. */
export class Running {
  readonly #child: ReturnType<typeof spawn>;
  readonly #closed: Promise<unknown[]>;
  #stdout = '';
  #stderr = '';

  constructor(child: ReturnType<typeof spawn>) {
    this.#child = child;
    this.#closed = once(child, 'close');
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits until standard error contains a text. */
  async said(text: string): Promise<void> {
    while (!this.#stderr.includes(text)) {
      if (this.#child.exitCode !== null) throw new Error(`ended without saying "${text}":\n${this.#stderr}`);
      await Promise.race([once(this.#child.stderr ?? this.#child, 'data'), this.#closed]);
    }
  }

  async ended(): Promise<Ended> {
    await this.#closed;
    return { code: this.#child.exitCode, stdout: this.#stdout, stderr: this.#stderr };
  }
}

/** A lock file that pins a Node. */
export function lockFile(node: string): string {
  return `${JSON.stringify({ packages: { '': {}, 'node_modules/node': { version: node }, 'node_modules/zod': { version: '4.6.7' } } })}\n`;
}

// FAKE_NPM: held = announces itself and waits for the gate; silent = succeeds without the pinned Node; anything else but
// nothing = fails with these words.
const fakeNpm = `#!/bin/sh
machine=$(dirname "$0")
echo "$* in $PWD on $(command -v node) with prefix \${npm_config_prefix:-none}" >> "$machine/calls"
rm -rf node_modules && mkdir -p node_modules/.bin
case "\${FAKE_NPM:-}" in
  held) echo $$ > "$machine/started"; read -r line < "$machine/gate" ;;
  silent) exit 0 ;;
  ?*) printf '%s\\n' "$FAKE_NPM" >&2; exit 7 ;;
esac
cp "$machine/../pinned-node" node_modules/.bin/node
`;

const pinnedNode = `#!/bin/sh
[ "$1" = --version ] && { echo v26.10.0; exit 0; }
case "$1" in */scripts/build/run.ts) exit 1 ;; esac
echo "pinned Node in $PWD"
for argument in "$@"; do echo "<$argument>"; done
exit "\${PINNED_EXIT:-0}"
`;
