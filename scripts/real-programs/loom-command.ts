import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';

const main = join(import.meta.dirname, '../../packages/loom/src/main.ts');

/** The command of Loom, as a person would use it in a terminal with this home folder. */
export class LoomCommand {
  readonly #home: string;
  readonly #dataDir: string;

  constructor(home: string, dataDir: string) {
    this.#home = home;
    this.#dataDir = dataDir;
  }

  /** Runs a command with `--json` until it ends, and returns the last object that it printed. */
  run(...words: readonly string[]): Promise<PlainObject> {
    const child = this.start(...words, '--json');
    let [out, wrong] = ['', ''];
    child.stdout?.on('data', (piece: Buffer) => void (out += piece.toString()));
    child.stderr?.on('data', (piece: Buffer) => void (wrong += piece.toString()));
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => {
        const last: unknown = code === 0 ? JSON.parse(out.trim().split('\n').at(-1) ?? '') : undefined;
        if (isPlainObject(last)) resolve(last);
        else reject(new Error(`loom ${words.join(' ')} ended with ${code}: ${wrong.slice(-800)}${out.slice(-400)}`));
      });
    });
  }

  /** Starts a command that goes on until it is ended. */
  start(...words: readonly string[]): ChildProcess {
    const env = { PATH: process.env['PATH'] ?? '', HOME: this.#home, LOOM_DATA_DIR: this.#dataDir };
    return spawn(process.execPath, [main, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** Asks for an operation. */
  call(operation: string, params: PlainObject): Promise<PlainObject> {
    return this.run('call', operation, JSON.stringify(params));
  }
}
