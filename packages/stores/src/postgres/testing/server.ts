import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ServerOptions {
  /** True if commits wait for the disk: for tests and measurements of durability. Without it the server is quicker. */
  isDurable?: boolean;
  /** More settings, as in postgresql.conf. */
  settings?: Readonly<Record<string, string>>;
}

/** A PostgreSQL server of its own in a temporary folder, which ends with this process. */
export interface PrivateServer {
  /** The URL of its database. */
  url: string;
  port: number;
  /** Ends it as a power cut of the database would, and starts it again over the same data. */
  restart: (how?: 'crash' | 'orderly') => Promise<void>;
  /** Ends it and removes the folder. */
  stop: () => Promise<void>;
}

/** The folder of PostgreSQL's programs; `undefined` if it is not installed. */
export function findPostgres(): string | undefined {
  const named = process.env['LOOM_POSTGRES_BIN'];
  if (named !== undefined) return named;
  const found = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' }).stdout?.trim() ?? '';
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((one, other) => Number(other) - Number(one)) : [];
  const folders = [found, ...versions.map((version) => join(debian, version, 'bin')), '/usr/local/bin', '/usr/bin'];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

/** Makes a cluster and starts its server, as another user where this one is root, since PostgreSQL refuses to run as root. */
export async function startServer({ isDurable = false, settings = {} }: ServerOptions = {}): Promise<PrivateServer> {
  const programs = findPostgres();
  if (programs === undefined) throw new Error('PostgreSQL is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'loom-postgres-'));
  const user = process.getuid?.() === 0 ? unprivilegedUser() : undefined;
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const own: SpawnOptions = { ...user, cwd: folder, env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' } };
  const data = join(folder, 'data');
  const made = spawnSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'loom', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions'],
    { ...own, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}${made.error?.message ?? ''}`);
  const port = await freePort();
  const configured = { ...usual, ...(isDurable ? {} : quick), ...settings, port: String(port) };
  const args = ['-D', data, ...Object.entries(configured).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  let server = await start(join(programs, 'postgres'), args, own, port);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.ref();
    server.kill(signal);
    await exited;
  };
  const removeAtExit = (): void => {
    server.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', removeAtExit);
  return {
    url: `postgres://loom@127.0.0.1:${port}/postgres`,
    port,
    async restart(how = 'crash') {
      // SIGQUIT ends it at once, and the next start recovers from the write-ahead log.
      await end(how === 'crash' ? 'SIGQUIT' : 'SIGINT');
      server = await start(join(programs, 'postgres'), args, own, port);
    },
    async stop() {
      process.off('exit', removeAtExit);
      await end('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function start(program: string, args: string[], own: SpawnOptions, port: number): Promise<ChildProcess> {
  // It ends with this process, however that ends.
  const guard =
    spawnSync('setpriv', ['--version']).status === 0 ? ['setpriv', '--pdeathsig', 'QUIT', program] : [program];
  const [command = program, ...before] = guard;
  const child = spawn(command, [...before, ...args], { ...own, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-4000)));
  child.unref();
  // A pipe that is read keeps a process alive, too.
  if (child.stderr instanceof Socket) child.stderr.unref();
  for (;;) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL did not start: ${said}`);
    if (said.includes('ready to accept connections') && (await isOpen(port))) return child;
    await sleep(20);
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  return address.port;
}

/** The user that Debian's package makes, or another one that owns nothing. */
function unprivilegedUser(): { uid: number; gid: number } {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find(([user]) => user === name) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('there is no user that PostgreSQL could run as: it refuses to run as root');
}

const usual = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  shared_buffers: '64MB',
  log_min_messages: 'log',
  timezone: 'UTC',
  max_wal_size: '1GB',
  autovacuum_naptime: '60s',
};
const quick = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
