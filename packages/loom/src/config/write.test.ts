import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { parse } from 'smol-toml';
import { nodeDisk, type Disk, withLock } from '@loom/data-folder/files';
import { temporaryDirectory } from '@loom/kernel/testing';
import { replaceConfigText, setConfigValue, unsetConfigValue } from './write.ts';

function make(
  context: TestContext,
  text?: string,
  mode = 0o600,
): { dataDir: string; path: string; read: () => string } {
  const dataDir = temporaryDirectory(context);
  const path = join(dataDir, 'config.toml');
  if (text !== undefined) writeFileSync(path, text, { mode });
  return { dataDir, path, read: () => readFileSync(path, 'utf8') };
}

test('[CF31] a new file is open to its owner only, and so is the folder', async (context) => {
  const dataDir = join(temporaryDirectory(context), 'a', 'b');
  const result = await setConfigValue({ dataDir }, ['defaults', 'n'], 2);
  assert.deepEqual(result, { ok: true, file: join(dataDir, 'config.toml'), changed: true });
  assert.equal(statSync(join(dataDir, 'config.toml')).mode & 0o777, 0o600);
  assert.equal(statSync(dataDir).mode & 0o777, 0o700);
});

test('[CF31] a file with keys that others can read is closed to them and that is told; other files keep their mode', async (context) => {
  const { dataDir, path } = make(context, 'defaults.n = 1\n');
  chmodSync(path, 0o644);
  assert.deepEqual(await setConfigValue({ dataDir }, ['defaults', 'n'], 2), { ok: true, file: path, changed: true });
  assert.equal(statSync(path).mode & 0o777, 0o644);
  const key = ['providers', 'openai', 'apiKey'];
  assert.deepEqual(await setConfigValue({ dataDir }, key, 'k'), {
    ok: true,
    file: path,
    changed: true,
    tightenedFrom: 0o644,
  });
  assert.equal(statSync(path).mode & 0o777, 0o600);
  chmodSync(path, 0o664);
  assert.deepEqual(await setConfigValue({ dataDir }, key, 'k'), {
    ok: true,
    file: path,
    changed: false,
    tightenedFrom: 0o664,
  });
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('[CF32] settings behind a symbolic link are changed where they are', async (context) => {
  const { dataDir, path } = make(context);
  const dotfiles = temporaryDirectory(context);
  writeFileSync(join(dotfiles, 'loom.toml'), '# mine\n');
  symlinkSync(join(dotfiles, 'loom.toml'), path);
  await setConfigValue({ dataDir }, ['defaults', 'n'], 2);
  assert.equal(readFileSync(join(dotfiles, 'loom.toml'), 'utf8'), '# mine\n\n[defaults]\nn = 2\n');
});

test('[CF33] when an editor saves in between, both changes are kept; if that never ends, the change is refused', async (context) => {
  const { dataDir, path, read } = make(context, 'defaults.n = 1\n');
  const intrude = (times: number): Disk => ({
    ...nodeDisk,
    async create(temporary) {
      if (times-- > 0) writeFileSync(path, `${read()}# saved in between\n`);
      return nodeDisk.create(temporary);
    },
  });
  const kept = await setConfigValue({ dataDir, disk: intrude(2) }, ['defaults', 'n'], 2);
  assert.ok(kept.ok);
  assert.equal(read(), 'defaults.n = 2\n# saved in between\n# saved in between\n');
  const refused = await setConfigValue({ dataDir, disk: intrude(100) }, ['defaults', 'n'], 3);
  assert.deepEqual(refused, { ok: false, refusal: { reason: 'changed-since' } });
  assert.match(read(), /^defaults\.n = 2\n/);
  assert.deepEqual(readdirSync(dataDir).sort(), ['config.lock', 'config.toml']);
});

test('[CF34] changes made at the same time all arrive', async (context) => {
  const { dataDir, read } = make(context, '# keep me\n');
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) => setConfigValue({ dataDir }, ['presets', `p${index}`, 'n'], index + 1)),
  );
  assert.ok(results.every(({ ok }) => ok));
  const presets = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`p${index}`, { n: index + 1 }]));
  assert.deepEqual(JSON.parse(JSON.stringify(parse(read()))), { presets });
  assert.ok(read().startsWith('# keep me\n'));
});

test('[CF34] a lock that is never freed is reported, not waited for without end', async (context) => {
  const { dataDir } = make(context);
  await withLock(join(dataDir, 'config.lock'), 0, async () => {
    const waiting = setConfigValue({ dataDir, patience: 0 }, ['defaults', 'n'], 2);
    await assert.rejects(waiting, { code: 'locked', advice: /try again/ });
  });
});

test('[CF35] a value that the reader would refuse is not written', async (context) => {
  const { dataDir, read } = make(context, 'defaults.n = 1\n[[mcp_servers]]\nname = "x"\n');
  const before = read();
  const wrong = await setConfigValue({ dataDir }, ['defaults', 'n'], 'many');
  assert.ok(!wrong.ok && wrong.refusal.reason === 'invalid-value');
  assert.match(wrong.refusal.message, /^defaults\.n must be a whole number/);
  const nameless = await unsetConfigValue({ dataDir }, ['mcp_servers', 'x', 'name']);
  assert.ok(!nameless.ok && nameless.refusal.reason === 'invalid-value');
  const huge = await setConfigValue({ dataDir }, ['defaults', 'model'], 'x'.repeat(5_000_000));
  assert.ok(!huge.ok && huge.refusal.reason === 'invalid-value');
  const table = await setConfigValue({ dataDir }, ['defaults'], 'x');
  assert.deepEqual(table, { ok: false, refusal: { reason: 'is-table' } });
  assert.equal(read(), before);
});

test('[CF35] other mistakes in the file do not hinder a change; bad TOML does, and is left alone', async (context) => {
  const { dataDir, path, read } = make(context, 'defaults.n = "many"\ndefaults.temperature = "hot"\n');
  assert.ok((await setConfigValue({ dataDir }, ['defaults', 'n'], 2)).ok);
  assert.equal(read(), 'defaults.n = 2\ndefaults.temperature = "hot"\n');
  writeFileSync(path, 'defaults.n = \n');
  await assert.rejects(setConfigValue({ dataDir }, ['defaults', 'n'], 2), { code: 'bad-toml' });
  await assert.rejects(unsetConfigValue({ dataDir }, ['defaults', 'n']), { code: 'bad-toml' });
  assert.equal(read(), 'defaults.n = \n');
});

test('[CF36] a set changes a key in the spelling it has; an unset removes it in every spelling', async (context) => {
  const { dataDir, read } = make(context, '[defaults]\nmax_tokens = 1 # old\n');
  await setConfigValue({ dataDir }, ['defaults', 'maxTokens'], 2);
  assert.equal(read(), '[defaults]\nmax_tokens = 2 # old\n');
  writeFileSync(join(dataDir, 'config.toml'), '[defaults]\nmax_tokens = 1\nmaxTokens = 2\nMaxTokens = 3\n');
  await unsetConfigValue({ dataDir }, ['defaults', 'maxTokens']);
  assert.equal(read(), '[defaults]\n');
});

test('[CF37] elements of arrays of tables are found, added and removed by their names', async (context) => {
  const { dataDir, read } = make(context, 'mcp_servers = [ ]\n');
  const target = { dataDir };
  await setConfigValue(target, ['mcp_servers', 'files', 'command'], 'npx');
  await setConfigValue(target, ['mcp_servers', 'files', 'args'], ['-y', 'files']);
  await setConfigValue(target, ['mcp_servers', 'web', 'command'], 'web');
  await setConfigValue(target, ['mcp_servers', 'files', 'env', 'ROOT'], '/srv');
  const files =
    '[[mcp_servers]]\nname = "files"\ncommand = "npx"\nargs = ["-y", "files"]\n\n[mcp_servers.env]\nROOT = "/srv"\n';
  const web = '[[mcp_servers]]\nname = "web"\ncommand = "web"\n';
  assert.equal(read(), `${files}\n${web}`);
  await unsetConfigValue(target, ['mcp_servers', 'files']);
  assert.equal(read(), web);
  assert.deepEqual(await unsetConfigValue(target, ['mcp_servers', 'files']), {
    ok: true,
    file: join(dataDir, 'config.toml'),
    changed: false,
  });
});

test('[CF38] an unset where nothing is set makes neither file nor folder', async (context) => {
  const dataDir = join(temporaryDirectory(context), 'none');
  const result = await unsetConfigValue({ dataDir }, ['defaults', 'n']);
  assert.deepEqual(result, { ok: true, file: join(dataDir, 'config.toml'), changed: false });
  assert.equal(existsSync(dataDir), false);
});

test('[CF38] a folder that cannot be written is an error with advice', async (context) => {
  const { dataDir, path } = make(context, 'defaults.n = 1\n');
  const fail = (code: string): Disk => ({
    ...nodeDisk,
    create: () => Promise.reject(Object.assign(new Error('no'), { code })),
  });
  const attempt = (code: string) => setConfigValue({ dataDir, disk: fail(code) }, ['defaults', 'n'], 2);
  await assert.rejects(attempt('EROFS'), { code: 'cannot-write', message: /read-only/, advice: /--data-dir/ });
  await assert.rejects(attempt('ENOSPC'), { code: 'cannot-write', message: /disk is full/, advice: /Free some space/ });
  await assert.rejects(attempt('EWHATEVER'), { code: 'cannot-write', message: /EWHATEVER/ });
  assert.equal(readFileSync(path, 'utf8'), 'defaults.n = 1\n');
  const asFile = { dataDir: path };
  await assert.rejects(setConfigValue(asFile, ['defaults', 'n'], 2), { code: 'cannot-write', advice: /--data-dir/ });
  const blocked = make(context);
  mkdirSync(join(blocked.dataDir, 'config.lock'));
  await assert.rejects(setConfigValue(blocked, ['defaults', 'n'], 2), { code: 'cannot-write', advice: /config\.lock/ });
});

test('[CF46] a whole text takes the place of the file only if it is valid and the file is what was read', async (context) => {
  const { dataDir, path, read } = make(context, 'defaults.n = 1\n');
  const stale = { path, bytes: Buffer.from('other'), text: 'other', mode: 0o600 };
  const fresh = { path, bytes: Buffer.from(read()), text: read(), mode: 0o600 };
  assert.deepEqual(await replaceConfigText({ dataDir }, stale, 'defaults.n = 2\n'), {
    ok: false,
    refusal: { reason: 'changed-since' },
  });
  await assert.rejects(replaceConfigText({ dataDir }, fresh, 'defaults.n = \n'), { code: 'bad-toml' });
  const wrong = await replaceConfigText({ dataDir }, fresh, 'defaults.n = "x"\n');
  assert.ok(!wrong.ok && wrong.refusal.reason === 'invalid-value');
  assert.equal(read(), 'defaults.n = 1\n');
  assert.ok((await replaceConfigText({ dataDir }, fresh, 'defaults.n = 2\n')).ok);
  assert.equal(read(), 'defaults.n = 2\n');
});
