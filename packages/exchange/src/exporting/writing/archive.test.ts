import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { Message } from '@loom/blocks';
import { LoomEngine } from '@loom/kernel';
import type { JobHandle } from '@loom/kernel';
import { instantClock } from '@loom/kernel/testing';
import { createMemoryStore } from '@loom/stores/memory';
import { fileOf } from '../../chats/testing/zip-file.ts';
import { ZipArchive } from '../../chats/zip-archive.ts';
import { archiveConversations } from './archive.ts';

const token = ['ghp', 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5'].join('_');
let requests = 0;

function openEngine(): LoomEngine {
  const clock = instantClock();
  const ids = { next: () => String((requests += 1)).padStart(8, '0') };
  const hash = { hex: (text: string) => createHash('sha256').update(text).digest('hex') };
  return new LoomEngine({ clock, ids, hash, store: createMemoryStore(), providers: [], tools: [], holder: 'one' });
}

async function begin(engine: LoomEngine, said: string, config: object, title?: string): Promise<string> {
  const request = () => ({ agent: 'person', id: `request-${(requests += 1)}` });
  const created = await engine.forest.createRoot(request(), { ...config });
  assert.ok(created.ok);
  const { root } = created.value;
  const message: Message = { role: 'user', content: [{ type: 'text', text: said }] };
  assert.ok((await engine.forest.append(request(), root, { parent: root, messages: [message] })).ok);
  if (title !== undefined) assert.ok((await engine.forest.markRoot(request(), root, { title })).ok);
  return root;
}

function handle(signal = new AbortController().signal): JobHandle & { words: string[] } {
  const words: string[] = [];
  return { signal, report: (said) => void words.push(said), words };
}

async function filesIn(engine: LoomEngine, blob: string): Promise<Map<string, string>> {
  const bytes = await engine.blobs.get(blob);
  assert.ok(bytes !== undefined);
  const archive = await ZipArchive.open(fileOf(bytes));
  const files = new Map<string, string>();
  for (const entry of archive.entries) {
    const parts: Uint8Array[] = [];
    for await (const piece of archive.read(entry)) parts.push(piece);
    files.set(entry.name, Buffer.concat(parts).toString());
  }
  return files;
}

test('[XP23] many conversations become one archive with a folder for each project and a name for each, once', async () => {
  const engine = openEngine();
  const made = await engine.forest.createRoot({ agent: 'person', id: 'empty' });
  const empty = made.ok ? made.value.root : '';
  const there = { directory: '/home/user/../tides' };
  const roots = [
    await begin(engine, 'one', there, 'High tide'),
    await begin(engine, 'two', there, 'High TIDE!'),
    await begin(engine, `Push with ${token}`, {}),
    empty,
  ];
  const job = handle();
  const order = { roots: [...roots, 'root-gone'], format: 'markdown' as const, replacesSecrets: false };
  const report = await archiveConversations(engine, order, job);
  assert.deepEqual([report.files, report.unread.map(({ root }) => root), report.cancelled], [4, ['root-gone'], false]);
  assert.deepEqual(
    report.secrets.map(({ kind, count }) => [kind, count]),
    [['GitHub token', 1]],
  );
  assert.equal(job.words.length, 5);
  const files = await filesIn(engine, report.archive?.blob ?? '');
  const names = [...files.keys()];
  assert.deepEqual(names.slice(0, 2), ['tides/high-tide.md', 'tides/high-tide-2.md']);
  assert.ok(names.slice(2).every((name) => /^no-project\/[\w-]+\.md$/u.test(name)));
  assert.match(files.get('tides/high-tide-2.md') ?? '', /two/u);
  assert.ok([...files.values()].some((text) => text.includes(token)));
  const replaced = await archiveConversations(engine, { ...order, replacesSecrets: true }, handle());
  const clean = await filesIn(engine, replaced.archive?.blob ?? '');
  assert.deepEqual([...clean.keys()], names);
  assert.ok(![...clean.values()].some((text) => text.includes(token)));
});

test('[XP23] deleted conversations are left out, and a job that is cancelled keeps nothing', async () => {
  const engine = openEngine();
  const [kept, gone] = [await begin(engine, 'one', {}), await begin(engine, 'two', {})];
  assert.ok((await engine.forest.removeRoot({ agent: 'person', id: 'remove' }, gone)).ok);
  const order = { format: 'jsonl' as const, replacesSecrets: false };
  const report = await archiveConversations(engine, { ...order, roots: [kept, gone] }, handle());
  assert.deepEqual([report.files, report.unread], [1, [{ root: gone, why: 'root-deleted' }]]);
  const none = await archiveConversations(engine, { ...order, roots: [gone] }, handle());
  assert.deepEqual([none.files, none.archive], [0, undefined]);
  const stop = new AbortController();
  stop.abort();
  const cancelled = await archiveConversations(engine, { ...order, roots: [kept] }, handle(stop.signal));
  assert.deepEqual([cancelled.files, cancelled.archive, cancelled.cancelled], [0, undefined, true]);
});
