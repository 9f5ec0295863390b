import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Message } from '@loom/blocks';
import { nodeJson } from '@loom/kernel';
import { Forest } from '@loom/kernel/logs';
import type { Clock } from '@loom/kernel';
import { z } from 'zod';
import { openSqliteStore } from '@loom/stores/sqlite';
import { NodeFiles } from '../node-files.ts';
import type { FilesReport } from '../files-report.ts';
import { expect } from '../testing/files-world.ts';

const clock: Clock = {
  now: Date.now,
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

test('[NW20] [NW26] [NW6] 40 files are edited, checked out, damaged or deleted on a real disk while a text streams', async (t) => {
  const { directory, forest, files, reports, heard } = await openReal(t);
  const { root } = expect(await forest.createRoot(request(), {}));
  const nodes: string[] = [];
  for (let count = 0; count < 40; count += 1) {
    const message: Message = { role: 'user', content: [{ type: 'text', text: `message ${count} of many\n` }] };
    const said = expect(await forest.append(request(), root, { parent: root, messages: [message] }));
    nodes.push(said.created.at(-1) ?? '');
  }
  await files.flush();
  await files.start();
  const path = (node: string): string => join(directory, root, 'nodes', `${node.slice(root.length + 1)}.json`);

  // A user has edited eight of them elsewhere, and they are checked out here.
  const byGit = nodes.slice(32);
  git(directory, 'init', '-q');
  git(directory, 'add', root);
  git(directory, 'commit', '-qm', 'as it was');
  const elsewhere = join(directory, 'elsewhere');
  git(directory, 'clone', '-q', directory, elsewhere);
  for (const node of byGit) {
    const file = path(node).replace(directory, elsewhere);
    writeFileSync(file, readFileSync(file, 'utf8').replace(' of ', ' BY GIT of '));
  }
  git(elsewhere, 'commit', '-qam', 'edited');
  const checkedOut = heard((report) => report.type === 'merged', byGit.length);
  git(directory, 'fetch', '-q', elsewhere, 'HEAD:edited');
  git(directory, 'checkout', '-q', 'edited');
  await checkedOut;

  const streaming = stream(forest, root);
  const others = heard((report) => report.type === 'merged', 16);
  const asides = heard((report) => report.type === 'quarantined', 8);
  const again = heard((report) => report.type === 'restored', 8);
  for (const [index, node] of nodes.slice(0, 32).entries()) {
    const file = path(node);
    const text = readFileSync(file, 'utf8');
    const edited = text.replace(' of ', ' EDITED of ');
    if (index % 4 === 0) writeFileSync(file, edited);
    if (index % 4 === 1) {
      writeFileSync(`${file}.swp`, edited);
      renameSync(`${file}.swp`, file);
    }
    if (index % 4 === 2) writeFileSync(file, text.slice(0, 200));
    if (index % 4 === 3) rmSync(file);
  }
  await Promise.all([others, asides, again, streaming]);
  await files.flush();

  const state = await forest.log(root).state();
  for (const [index, node] of nodes.entries()) {
    const mark = index >= 32 ? ' BY GIT' : index % 4 < 2 ? ' EDITED' : '';
    const block = state.nodes.get(node)?.blocks[0];
    assert.equal(block?.type === 'text' && block.text, `message ${index}${mark} of many\n`);
  }
  for (const node of state.nodes.keys()) {
    assert.equal(readFileSync(path(node), 'utf8'), JSON.stringify(nodeJson(state, node), undefined, 2));
  }
  assert.deepEqual(
    reports.filter(({ type }) => type === 'failed'),
    [],
  );
  assert.equal((await files.quarantined()).length, 8);
});

test('[NW29] a link where a file should be is put aside and not followed', async (t) => {
  const { directory, forest, files, heard } = await openReal(t);
  const { root } = expect(await forest.createRoot(request(), {}));
  const message: Message = { role: 'user', content: [{ type: 'text', text: 'hello' }] };
  expect(await forest.append(request(), root, { parent: root, messages: [message] }));
  await files.flush();
  const file = join(directory, root, 'nodes', 'node-1.json');
  const written = readFileSync(file, 'utf8');
  writeFileSync(join(directory, 'elsewhere'), written.replace('hello', 'not for you'));
  rmSync(file);
  symlinkSync(join(directory, 'elsewhere'), file);
  const aside = heard((report) => report.type === 'quarantined', 1);
  await files.start();
  await aside;
  await files.flush();
  assert.equal(readFileSync(file, 'utf8'), written);
  assert.deepEqual(
    (await files.quarantined()).map(({ reason }) => reason),
    ['not-a-file'],
  );
});

test('[NW29] a folder that was made a link is not followed: nothing is read or written behind it, and it is reported', async (t) => {
  const { directory, forest, files, reports } = await openReal(t);
  const { root } = expect(await forest.createRoot(request(), {}));
  const message: Message = { role: 'user', content: [{ type: 'text', text: 'hello' }] };
  const { created } = expect(await forest.append(request(), root, { parent: root, messages: [message] }));
  await files.flush();
  const nodes = join(directory, root, 'nodes');
  const elsewhere = join(directory, 'elsewhere');
  renameSync(nodes, elsewhere);
  const file = join(elsewhere, 'node-1.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('hello', 'not for you'));
  symlinkSync(elsewhere, nodes);
  await files.recheckRoot(root);
  expect(await forest.append(request(), root, { parent: created[0] ?? root, messages: [message] }));
  await assert.rejects(files.flush(), /links are not followed/u);
  assert.deepEqual(readdirSync(elsewhere), ['node-1.json']);
  assert.deepEqual(
    reports.map(({ type }) => type),
    ['failed'],
  );
  rmSync(nodes);
  await files.flush();
  assert.equal(readdirSync(nodes).length, 2);
});

test('[NW29] a quarantine that is a link is not followed', async (t) => {
  const { directory, forest, files, reports } = await openReal(t);
  const { root } = expect(await forest.createRoot(request(), {}));
  const message: Message = { role: 'user', content: [{ type: 'text', text: 'hello' }] };
  expect(await forest.append(request(), root, { parent: root, messages: [message] }));
  await files.flush();
  const elsewhere = join(directory, '.elsewhere');
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'a.loom.tmp'), 'mine');
  symlinkSync(elsewhere, join(directory, 'quarantine'));
  const file = join(directory, root, 'nodes/node-1.json');
  writeFileSync(file, '[]');
  await files.recheckRoot(root);
  await files.start();
  await assert.rejects(files.quarantined(), { code: 'folder-unreadable', message: /links are not followed/u });
  assert.ok(reports.some(({ type }) => type === 'failed'));
  assert.deepEqual(readdirSync(elsewhere), ['a.loom.tmp']);
  assert.equal(readFileSync(file, 'utf8'), '[]');
});

test('[NW41] a look at the files of all roots lets others have their turn after every second root', async (t) => {
  const { forest, files } = await openReal(t);
  for (let count = 0; count < 40; count += 1) expect(await forest.createRoot(request(), {}));
  await files.flush();
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await files.scan();
  isOver = true;
  assert.ok(turns >= 20, `${turns} turns`);
});

function git(directory: string, ...parameters: string[]): void {
  const identity = ['-c', 'user.name=Anna', '-c', 'user.email=anna@example.org'];
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', [...identity, ...parameters], { cwd: directory, env, stdio: 'ignore' });
}

let requests = 0;

function request(): { agent: string; id: string } {
  requests += 1;
  return { agent: 'anna', id: `request-${requests}` };
}

async function openReal(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'loom-node-files-'));
  const store = await openSqliteStore({ directory });
  const forest = new Forest({ store, clock, ids: { next: () => request().id } });
  const reports: FilesReport[] = [];
  const listeners = new Set<() => void>();
  const report = (item: FilesReport): void => {
    reports.push(item);
    for (const listener of listeners) listener();
  };
  const files = await NodeFiles.open({ directory, forest, store, clock, report });
  t.after(async () => {
    await files.close();
    forest.close();
    await store.close();
    rmSync(directory, { recursive: true });
  });
  /** Resolves once `count` matching reports have come from now on. */
  const heard = (fits: (report: FilesReport) => boolean, count: number): Promise<void> => {
    const from = reports.length;
    return new Promise((resolve) => {
      const listener = (): void => {
        if (reports.slice(from).filter(fits).length >= count) resolve();
      };
      listeners.add(listener);
    });
  };
  return { directory, forest, files, reports, heard };
}

/** A model writes an answer, bit by bit. */
async function stream(forest: Forest, root: string): Promise<void> {
  let block = '';
  const write = (decide: Parameters<typeof forest.change<unknown>>[3]): Promise<unknown> =>
    forest.change(request(), root, z.unknown(), decide);
  await write((state) => {
    const id = state.newNodeId();
    block = state.newBlockId('anna');
    const blocks = [{ type: 'text' as const, text: '', block_id: block, status: 'running' as const }];
    const node = { id, parent: root, role: 'assistant' as const, blocks, source: { type: 'user' as const } };
    return { ok: true, ops: [{ type: 'node-added', node }], value: null };
  });
  for (let count = 0; count < 100; count += 1) {
    const text = `word ${count} `;
    await write(() => ({
      ok: true,
      ops: [{ type: 'text-appended', block, field: 'text', text, unit: 'turn' }],
      value: null,
    }));
  }
  await write(() => ({ ok: true, ops: [{ type: 'status', block, status: 'done' }], value: null }));
}
