import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { nodeDisk, type Disk } from './disk.ts';
import { readIfThere, replaceFile } from './replace-file.ts';

const OLD = Buffer.from('old');
const NEW = Buffer.from('new content');

test('[CF30] whichever system call fails, the file holds the old content or the new one, and no temporary file stays', async (context) => {
  for (let nth = 1; ; nth++) {
    const directory = temporaryDirectory(context);
    const path = join(directory, 'file');
    writeFileSync(path, OLD, { mode: 0o600 });
    const faulty = failingDisk(nth);
    const outcome = await replaceFile(faulty.disk, { path, content: NEW, expected: OLD, mode: 0o600 }).catch(
      (error: unknown) => error,
    );
    const content = readFileSync(path, 'utf8');
    assert.deepEqual(readdirSync(directory), ['file'], `after failing ${faulty.failed}`);
    if (faulty.failed === undefined) {
      assert.deepEqual(outcome, { ok: true });
      assert.equal(content, 'new content');
      // The content is durable before the exchange, and the exchange before success is reported.
      const steps = faulty.calls.filter((name) => name !== 'status');
      const durable = ['setAccess', 'sync', 'close', 'read', 'rename', 'syncDirectory'];
      assert.deepEqual(steps, ['create', 'write', 'write', 'write', 'write', ...durable]);
      return;
    }
    assert.match(String(outcome), /EIO/, `failure of ${faulty.failed} must be reported`);
    // Only the last step comes after the exchange.
    assert.equal(content, faulty.failed === 'syncDirectory' ? 'new content' : 'old', `after failing ${faulty.failed}`);
  }
});

test('[CF31] a new file gets the mode it is given, whatever the umask allows', async (context) => {
  const path = join(temporaryDirectory(context), 'file');
  assert.deepEqual(await replaceFile(nodeDisk, { path, content: NEW, expected: undefined, mode: 0o600 }), { ok: true });
  assert.equal(statSync(path).mode & 0o777, 0o600);
  chmodSync(path, 0o644);
  await replaceFile(nodeDisk, { path, content: OLD, expected: NEW, mode: 0o640 });
  assert.equal(statSync(path).mode & 0o777, 0o640);
});

test('[CF32] a symbolic link stays a link, and what it names is replaced', async (context) => {
  const directory = temporaryDirectory(context);
  mkdirSync(join(directory, 'dotfiles'));
  const real = join(directory, 'dotfiles', 'loom.toml');
  writeFileSync(real, OLD);
  symlinkSync('dotfiles/loom.toml', join(directory, 'middle'));
  symlinkSync(join(directory, 'middle'), join(directory, 'config.toml'));
  const path = join(directory, 'config.toml');
  await replaceFile(nodeDisk, { path, content: NEW, expected: OLD, mode: 0o600 });
  assert.equal(readFileSync(real, 'utf8'), 'new content');
  assert.equal(readlinkSync(path), join(directory, 'middle'));
  assert.deepEqual(readdirSync(join(directory, 'dotfiles')), ['loom.toml']);
});

test('[CF32] a link to a file that does not exist yet makes that file; links in circles are an error', async (context) => {
  const directory = temporaryDirectory(context);
  const path = join(directory, 'config.toml');
  symlinkSync('target', path);
  await replaceFile(nodeDisk, { path, content: NEW, expected: undefined, mode: 0o600 });
  assert.equal(readFileSync(join(directory, 'target'), 'utf8'), 'new content');
  symlinkSync('circle', join(directory, 'circle'));
  const circular = { path: join(directory, 'circle'), content: NEW, expected: undefined, mode: 0o600 };
  await assert.rejects(replaceFile(nodeDisk, circular), { code: 'ELOOP' });
});

test('[CF32] a link to what is not a regular file is neither read nor replaced', async (context) => {
  const directory = temporaryDirectory(context);
  const socket = join(directory, 'socket');
  const server = createServer().listen(socket);
  context.after(() => server.close());
  await once(server, 'listening');
  const path = join(directory, 'config.toml');
  symlinkSync('socket', path);
  await assert.rejects(readIfThere(nodeDisk, path), { code: 'ENOTFILE' });
  for (const expected of [undefined, OLD]) {
    await assert.rejects(replaceFile(nodeDisk, { path, content: NEW, expected, mode: 0o600 }), { code: 'ENOTFILE' });
  }
  assert.ok(lstatSync(socket).isSocket());
  assert.deepEqual(readdirSync(directory).sort(), ['config.toml', 'socket']);
});

test('[CF33] a file that is no longer what was read is not replaced', async (context) => {
  const directory = temporaryDirectory(context);
  const path = join(directory, 'file');
  const refused = { ok: false, refusal: { reason: 'changed-since' } };
  writeFileSync(path, 'changed by somebody');
  assert.deepEqual(await replaceFile(nodeDisk, { path, content: NEW, expected: OLD, mode: 0o600 }), refused);
  assert.deepEqual(await replaceFile(nodeDisk, { path, content: NEW, expected: undefined, mode: 0o600 }), refused);
  assert.equal(readFileSync(path, 'utf8'), 'changed by somebody');
  const gone = join(directory, 'gone');
  assert.deepEqual(await replaceFile(nodeDisk, { path: gone, content: NEW, expected: OLD, mode: 0o600 }), refused);
  assert.deepEqual(readdirSync(directory), ['file']);
});

/** Returns the real disk, except that its n-th call fails and that a write takes only half of its bytes. */
function failingDisk(nth: number): { disk: Disk; calls: string[]; failed: string | undefined } {
  const calls: string[] = [];
  const state: ReturnType<typeof failingDisk> = { disk: nodeDisk, calls, failed: undefined };
  const guard = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    if (calls.push(name) === nth) {
      state.failed = name;
      throw Object.assign(new Error(`EIO: ${name}`), { code: 'EIO' });
    }
    return work();
  };
  state.disk = {
    ...nodeDisk,
    read: (path) => guard('read', () => nodeDisk.read(path)),
    status: (path) => guard('status', () => nodeDisk.status(path)),
    rename: (from, to) => guard('rename', () => nodeDisk.rename(from, to)),
    syncDirectory: (path) => guard('syncDirectory', () => nodeDisk.syncDirectory(path)),
    async create(path) {
      const file = await guard('create', () => nodeDisk.create(path));
      return {
        write: (bytes, position) =>
          guard('write', () => file.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), position)),
        setAccess: (access) => guard('setAccess', () => file.setAccess(access)),
        sync: () => guard('sync', () => file.sync()),
        async close() {
          await file.close();
          await guard('close', () => Promise.resolve());
        },
      };
    },
  };
  return state;
}
