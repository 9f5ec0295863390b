import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobFacts, ParamsOf, ResultOf } from '@loom/kernel';
import type { ListView } from '@loom/sync';
import { z } from 'zod';
import { Store } from '../stores/store.ts';
import { Imports, mayBeHistory } from './imports.ts';
import type { EndedImport } from './imports.ts';

const named = z.object({ job: z.string() });

/** Creates a page, and a server that follows orders. */
function createPage(storage = new Map<string, string>()) {
  const list = new Store<ListView>({ status: 'live', items: [], children: [], jobs: [] });
  const asked: [string, unknown][] = [];
  const ended: EndedImport[] = [];
  let jobs: readonly JobFacts[] = [];
  const report = { files: 1, files_unchanged: 0, files_unknown: 0, lines_raw: 0, lines_reported: 0, roots_added: 1 };
  const rest = { nodes_added: 2, sources: {}, roots: [], unknown_kinds: {}, warnings: [] };
  const change = (id: string, state: JobFacts['state']): void => {
    const facts = { id, kind: 'import.start', agent: 'person', words: '', started_at: '2026-11-17T10:00:00Z', state };
    jobs = [facts, ...jobs.filter((job) => job.id !== id)];
    list.update((view) => ({ ...view, jobs }));
  };
  const answers: Record<string, (params: unknown) => unknown> = {
    'source.list': () => ({ items: [], following: false, remarks: [] }),
    'import.start': () => {
      const job = `job-${jobs.length + 1}`;
      change(job, 'running');
      return { job };
    },
    'job.cancel': (params) => {
      change(named.parse(params).job, 'cancelled');
      return { cancelled: true };
    },
    'job.get': (params) => {
      const { job } = named.parse(params);
      const facts = jobs.find(({ id }) => id === job);
      return { ...facts, result: { ...report, ...rest, cancelled: facts?.state === 'cancelled' } };
    },
  };
  const imports = new Imports({
    ask: async <Name extends string>(name: Name, params: ParamsOf<Name>) => {
      asked.push([name, params]);
      return z.custom<ResultOf<Name>>().parse(answers[name]?.(params));
    },
    upload: async (file) => {
      asked.push(['upload', file.size]);
      return `upload-${file.size}`;
    },
    list,
    storage: {
      getItem: (key) => storage.get(key) ?? null,
      setItem: (key, text) => void storage.set(key, text),
      removeItem: (key) => void storage.delete(key),
    },
    ended: (import_) => void ended.push(import_),
  });
  return { imports, list, asked, ended, change, storage };
}

/** Waits for reports: what reads them is loaded late. */
async function settle(ended: readonly EndedImport[]): Promise<void> {
  for (let step = 0; step < 10_000 && ended.length === 0; step += 1) await new Promise(setImmediate);
  await new Promise(setImmediate);
}

test('[WB138] an import is paused, goes on, and is told once; after a reload it is known which programs it is of', async () => {
  const page = createPage();
  await page.imports.start(['codex'], 'Codex');
  await page.imports.pause('job-1');
  await settle(page.ended);
  assert.partialDeepStrictEqual(page.ended, [{ job: 'job-1', sources: ['codex'], report: { cancelled: true } }]);
  await page.imports.start(['codex'], 'Codex');
  assert.deepEqual(
    page.asked.filter(([name]) => name === 'import.start'),
    [
      ['import.start', { sources: ['codex'] }],
      ['import.start', { sources: ['codex'] }],
    ],
  );
  const reloaded = createPage(page.storage);
  assert.deepEqual(reloaded.imports.begun.getSnapshot(), [{ job: 'job-2', what: 'Codex', sources: ['codex'] }]);
  reloaded.change('job-2', 'done');
  reloaded.change('job-2', 'done');
  await settle(reloaded.ended);
  assert.equal(reloaded.ended.length, 1);
  assert.deepEqual(reloaded.imports.begun.getSnapshot(), []);
});

test('[WB141] files are sent one by one and imported together; one above 1 GB is not sent', async () => {
  const { imports, asked } = createPage();
  const file = (name: string, size: number): File => Object.defineProperty(new File([], name), 'size', { value: size });
  await imports.startFiles([file('a.zip', 3), file('b.json', 4)]);
  assert.deepEqual(asked.slice(0, 3), [
    ['upload', 3],
    ['upload', 4],
    [
      'import.start',
      {
        uploads: [
          { upload: 'upload-3', name: 'a.zip' },
          { upload: 'upload-4', name: 'b.json' },
        ],
      },
    ],
  ]);
  await assert.rejects(imports.startFiles([file('all.zip', 1024 ** 3 + 1)]), /loom import all\.zip/u);
  assert.equal(asked.filter(([name]) => name === 'upload').length, 2);
  const names = ['a.zip', 'A.JSONL', 'x.jsonl.zst', 'opencode.db', 'photo.png', 'notes.txt', 'zip'];
  assert.deepEqual(
    names.filter((name) => mayBeHistory({ name })),
    ['a.zip', 'A.JSONL', 'x.jsonl.zst', 'opencode.db'],
  );
});
