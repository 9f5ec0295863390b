import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Outcome } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { startPlanEmulator } from '@loom/providers/testing';
import type { PlanEmulator } from '@loom/providers/testing';
import { planFile } from '../models/plan-login.ts';
import { openLoom } from '../open-loom.ts';
import { fakeTerminal } from '../testing/fake-terminal.ts';
import { runCommandLine } from '../command-line/command-line.ts';

async function startService(t: TestContext): Promise<PlanEmulator> {
  const service = await startPlanEmulator();
  t.after(() => service.close());
  return service;
}

/** A data folder whose settings lead to the emulator. */
function folderFor(t: TestContext, { issuer, api }: PlanEmulator, isAllowed: boolean): string {
  const dataDir = temporaryDirectory(t);
  const lines = ['[providers.chatgpt]', `issuer = "${issuer}"`, `baseURL = "${api}"`, `plan = ${isAllowed}`, ''];
  writeFileSync(join(dataDir, 'config.toml'), lines.join('\n'));
  return dataDir;
}

async function done<T>(outcome: Promise<Outcome<T>>): Promise<T> {
  const answer = await outcome;
  return answer.ok ? answer.value : assert.fail(JSON.stringify(answer.refusal));
}

/** Returns the files of a folder that hold one of the tokens that were ever made. */
function filesWithTokens(folder: string, { tokens }: PlanEmulator): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => {
    const path = join(folder, name);
    if (!statSync(path).isFile()) return false;
    const bytes = readFileSync(path, 'latin1');
    return tokens.everMade.some((token) => bytes.includes(token));
  });
}

test('[OP150] [OP151] a login is off until the settings allow it, and is refused until then', async (t) => {
  const service = await startService(t);
  const dataDir = folderFor(t, service, false);
  await using loom = await openLoom({ dataDir });
  const [login] = (await done(loom.call('login.list', {}))).items;
  assert.deepEqual([login?.provider, login?.state, login?.setting], ['chatgpt', 'off', 'providers.chatgpt.plan']);
  assert.match(login?.remark ?? '', /never against the live service/u);
  const refused = await loom.call('login.start', { provider: 'chatgpt' });
  assert.equal(refused.ok ? '' : refused.refusal.reason, 'login-failed');
  assert.deepEqual(service.asked, [], 'nothing is sent');
  const { items } = await done(loom.call('provider.list', {}));
  assert.ok(items.every(({ name }) => name !== 'chatgpt'));
  const other = await loom.call('login.start', { provider: 'openai' });
  assert.equal(other.ok ? '' : other.refusal.reason, 'unknown-provider');
});

test('[OP151] [OP152] [OP153] [OP154] [LM31] a person logs in, a plan answers, and no token is shown or kept but in its file', async (t) => {
  const service = await startService(t);
  const dataDir = folderFor(t, service, true);
  await using loom = await openLoom({ dataDir });
  const said: unknown[] = [];
  const ask = async <T>(outcome: Promise<Outcome<T>>): Promise<T> => {
    const value = await done(outcome);
    said.push(value);
    return value;
  };
  const isUsable = async (): Promise<readonly unknown[]> => {
    const { items } = await ask(loom.call('provider.list', {}));
    const found = items.find(({ name }) => name === 'chatgpt');
    return [found?.usable, found?.key, found?.hindrance?.code];
  };
  assert.deepEqual(await isUsable(), [false, 'login', 'needs-login']);
  const turn = async (content: string): Promise<string> => {
    const { root } = await ask(loom.call('root.create', {}));
    const { nodes } = await ask(loom.call('node.append', { parent: root, messages: [{ role: 'user', content }] }));
    const [node = ''] = nodes;
    const { turns } = await ask(loom.call('turn.start', { node, provider: 'chatgpt', model: 'gpt-5.4' }));
    await ask(loom.call('turn.wait', { root, turn: turns[0] ?? '' }));
    await ask(loom.call('call.list', { root }));
    return JSON.stringify([...(await ask(loom.open(root))).nodes.values()]);
  };
  assert.match(await turn('before'), /Nobody is logged in/u);
  await done(loom.call('login.start', { provider: 'chatgpt' }));
  assert.deepEqual(await ask(loom.call('login.cancel', { provider: 'chatgpt' })), { cancelled: true });
  const { url } = await done(loom.call('login.start', { provider: 'chatgpt' }));
  const [waited] = await Promise.all([ask(loom.call('login.finish', { provider: 'chatgpt' })), service.agree(url)]);
  assert.deepEqual([waited.state, waited.account, waited.plan], ['logged-in', 'jo@example.com', true]);
  assert.deepEqual(await isUsable(), [true, 'login', undefined]);
  const { items: models } = await ask(loom.call('model.list', { provider: 'chatgpt', query: 'gpt-5.4' }));
  assert.ok(models.some(({ name, usable }) => name === 'chatgpt/gpt-5.4' && usable));
  assert.match(await turn('hello'), /You said: hello/u);
  // A service that repeats the token that it was sent.
  service.tokens.access.clear();
  assert.match(await turn('again'), /log in again/u);
  assert.equal(statSync(join(dataDir, planFile)).mode & 0o777, 0o600);
  assert.deepEqual(filesWithTokens(dataDir, service), [planFile]);
  assert.deepEqual(await ask(loom.call('login.end', { provider: 'chatgpt' })), { revoked: true });
  assert.deepEqual(await isUsable(), [false, 'login', 'needs-login']);
  assert.deepEqual(filesWithTokens(dataDir, service), []);
  const answers = JSON.stringify(said);
  for (const token of service.tokens.everMade) assert.ok(!answers.includes(token), token);
});

test('[OP152] a browser on another machine ends at an address that is brought by hand', async (t) => {
  const service = await startService(t);
  await using loom = await openLoom({ dataDir: folderFor(t, service, true) });
  const { url } = await done(loom.call('login.start', { provider: 'chatgpt' }));
  const wrong = await loom.call('login.finish', { provider: 'chatgpt', address: 'http://127.0.0.1:1/auth/callback' });
  assert.equal(wrong.ok ? '' : wrong.refusal.reason, 'login-failed');
  const address = await service.returnOf(url);
  const login = await done(loom.call('login.finish', { provider: 'chatgpt', address }));
  assert.equal(login.state, 'logged-in');
});

test('[OP151] where people log in is said at the command line alone', async (t) => {
  const service = await startService(t);
  await using loom = await openLoom({ dataDir: folderFor(t, service, true) });
  const caller = { agent: 'person', type: 'person', role: 'owner', door: 'http', id: 'request-1' } as const;
  const params = { key: 'providers.chatgpt.issuer', value: 'https://thief.example' };
  const refused = await loom.engine.call('setting.set', caller, params);
  assert.match(refused.ok ? '' : JSON.stringify(refused.refusal), /at the command line/u);
});

test('[LM30] loom login shows the page, waits for the browser and says who is logged in; loom logout forgets it', async (t) => {
  const service = await startService(t);
  const dataDir = folderFor(t, service, true);
  const run = async (...args: string[]) => {
    const { terminal, written } = fakeTerminal();
    const out = (text: string): void => {
      terminal.out(text);
      const [page] = /http:\S+\/authorize\S*/u.exec(text) ?? [];
      if (page !== undefined) void service.agree(page);
    };
    const code = await runCommandLine(['--data-dir', dataDir, ...args], { ...terminal, out });
    return { code, ...written };
  };
  const login = await run('login');
  assert.equal(login.code, 0, login.note);
  assert.match(login.out, /Log in on this page[\s\S]*Logged in as jo@example\.com\.\n$/u);
  assert.match(login.note, /never against the live service/u);
  const answered = await run('chat', '-p', 'hello', '--model', 'chatgpt/gpt-5.4');
  assert.match(answered.out, /You said: hello/u, answered.note);
  service.whims.denies = true;
  const declined = await run('login', 'chatgpt');
  assert.equal(declined.code, 1);
  assert.match(declined.note, /declined in the browser/u);
  const logout = await run('logout');
  assert.deepEqual([logout.code, logout.out], [0, 'Logged out.\n']);
  assert.equal(service.tokens.refresh.size, 0);
  assert.deepEqual(filesWithTokens(dataDir, service), []);
});
