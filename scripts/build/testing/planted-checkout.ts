import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory, writeFiles } from '../../../checks/testing/planted-repository.ts';
import type { Ended } from '../../testing/bare-checkout.ts';
import { Running } from '../../testing/bare-checkout.ts';

const repository = join(import.meta.dirname, '../../..');

/**
 * A checkout in which `./loom` is a program of one line, and everything is installed. Its bundler is a script that a test can hold and
 * fail; its output says that it is a bundle, and then what the program says.
 */
export class PlantedCheckout {
  readonly root: string;
  /** Directories for PATH. */
  readonly path = ['/usr/bin', '/bin'];

  constructor(t: TestContext) {
    this.root = join(temporaryDirectory(t), 'a checkout');
    mkdirSync(this.root);
    for (const name of ['loom', 'scripts']) {
      cpSync(join(repository, name), join(this.root, name), { recursive: true });
    }
    writeFiles(this.root, {
      'package-lock.json': '{}\n',
      'packages/loom/package.json': '{ "type": "module" }\n',
      'packages/loom/src/main.ts': "console.log('one');\n",
      'packages/loom/src/main.test.ts': '',
      'packages/loom/src/testing/planted.ts': '',
      'packages/loom/src/part.ts': '',
      'node_modules/.loom-lock.json': '{}\n',
      'node_modules/rolldown/package.json': '{ "type": "module", "exports": "./index.js" }\n',
      'node_modules/rolldown/index.js': fakeBundler,
    });
    mkdirSync(join(this.root, 'node_modules/.bin'));
    symlinkSync(process.execPath, join(this.root, 'node_modules/.bin/node'));
    execFileSync('mkfifo', [join(this.root, 'started'), join(this.root, 'gate')]);
  }

  /** Writes files by their relative paths. */
  write(files: Readonly<Record<string, string>>): void {
    writeFiles(this.root, files);
  }

  /** Starts `./loom`, or a command that does; BUNDLER=held waits for the gate, BUNDLER=broken fails. */
  start(env: Record<string, string> = {}, root = this.root, command = ['./loom']): Running {
    const [file = '', ...args] = command;
    const child = spawn(file, args, {
      cwd: root,
      env: { PATH: this.path.join(':'), HOME: join(this.root, '../home'), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new Running(child);
  }

  /** Runs `./loom` to its end. */
  async loom(env: Record<string, string> = {}, root = this.root): Promise<Ended> {
    return this.start(env, root).ended();
  }

  /** Waits for the process that announces itself, and returns its id. */
  async announced(): Promise<number> {
    return Number(await readFile(join(this.root, 'started'), 'utf8'));
  }

  /** Lets one that is held go on. */
  async openGate(): Promise<void> {
    const gate = await open(join(this.root, 'gate'), 'w');
    await gate.write('go');
    await gate.close();
  }

  /** Returns the folders of all builds, finished or not, the oldest first. */
  builds(): string[] {
    return readdirSync(join(this.root, '.cache/built'))
      .filter((name) => name.startsWith('build-'))
      .sort()
      .map((name) => join(this.root, '.cache/built', name));
  }
}

const fakeBundler = `
import { readFileSync, writeFileSync } from 'node:fs';
export async function rolldown({ cwd, input }) {
  const code = "console.log('a bundle');" + readFileSync(input.main, 'utf8');
  if (process.env.BUNDLER === 'held') {
    writeFileSync(cwd + '/started', String(process.pid));
    readFileSync(cwd + '/gate');
  }
  const generate = async () => {
    if (process.env.BUNDLER === 'broken') throw new Error('planted failure');
    return { output: [
      { type: 'chunk', fileName: 'main.mjs', code },
      { type: 'chunk', fileName: 'late.mjs', code: "console.log('late');" },
    ] };
  };
  return { generate, close: async () => {} };
}
`;
