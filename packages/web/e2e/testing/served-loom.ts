import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { LoomClient } from '@loom/client';

const repository = join(import.meta.dirname, '../../../..');
const readyLine = z.object({ url: z.string(), token: z.string(), pid: z.number() });

export interface ServedOptions {
  /** Settings and keys that the server finds in its environment. */
  env?: Readonly<Record<string, string>>;
  /** The address that the server takes to be its own on the internet; it is reached on this computer all the same. */
  publicUrl?: string;
}

/** The real `loom serve` in a separate process, on a data folder that goes with the test. */
export class ServedLoom {
  readonly dataDir: string;
  /** Called before the server stops for good, so that pages do not complain about that. */
  readonly guests: (() => Promise<void>)[] = [];
  readonly #env: Readonly<Record<string, string>>;
  #process: ChildProcess | undefined;
  #port = 0;
  #token = '';
  readonly #publicUrl: string | undefined;

  private constructor(dataDir: string, { env = {}, publicUrl }: ServedOptions) {
    this.dataDir = dataDir;
    this.#env = env;
    this.#publicUrl = publicUrl;
  }

  /** Ends with the test, or with the file if that is where `after` comes from. */
  static async start(
    t: { after: (hook: () => Promise<void>) => void },
    options: ServedOptions = {},
  ): Promise<ServedLoom> {
    const dataDir = mkdtempSync(join(tmpdir(), 'loom-web-'));
    const served = new ServedLoom(dataDir, options);
    t.after(async () => {
      for (const leave of served.guests) await leave();
      await served.stop('SIGKILL');
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    });
    await served.run();
    return served;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The owner's client, for looking at the effects of the page. */
  get client(): LoomClient {
    return this.clientOf(this.#token);
  }

  /** Returns a client of the agent that a token stands for. */
  clientOf(token: string): LoomClient {
    return new LoomClient({
      url: this.url,
      token,
      fetch: (url, init) => fetch(url, init),
      openSocket: (url) => new WebSocket(url),
      clock: {
        now: Date.now,
        after(milliseconds, callback) {
          const timer = setTimeout(callback, milliseconds);
          return () => clearTimeout(timer);
        },
      },
      ids: { next: randomUUID },
      random: Math.random,
    });
  }

  /** Begins to serve, again at the same address. */
  async run(): Promise<void> {
    // The server then prints its address on the internet.
    if (this.#publicUrl !== undefined && this.#port === 0) this.#port = await freePort();
    const outside = this.#publicUrl === undefined ? [] : ['--public-url', this.#publicUrl];
    const args = ['serve', '--json', '--data-dir', this.dataDir, '--port', String(this.#port), ...outside];
    const env = { ...process.env, HOME: this.dataDir, ...this.#env };
    // From its bundle, as people run it: that starts in a third of the time. `npm test` has built it, with the page.
    const child = spawn(join(repository, 'loom'), args, { stdio: ['ignore', 'pipe', 'inherit'], env });
    this.#process = child;
    const line = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).once('line', resolve);
      child.once('exit', (code) => reject(new Error(`loom serve ended with ${code} before it was ready`)));
    });
    const { url, token } = readyLine.parse(JSON.parse(line));
    if (this.#publicUrl === undefined) this.#port = Number(new URL(url).port);
    this.#token = token;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => void server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
