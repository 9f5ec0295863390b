import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ImportReport } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { runImport } from '../import-run.ts';
import { Origins } from '../origins.ts';
import { createImportWorld } from '../testing/imports.ts';
import { codexFormat } from './codex-format.ts';

const [first, second] = ['aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa', 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb'];
const nameOf = (thread: string): string => `rollout-2026-01-02T03-04-05-${thread}.jsonl`;

/** Returns a thread with a few messages, forked as `fork` says. */
function rollout(thread: string, fork: Record<string, unknown>): string {
  const said = (role: string, type: string, text: string): unknown => ({
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type, text }] },
  });
  const lines = [
    { type: 'session_meta', payload: { id: thread, cwd: '/work', cli_version: '0.166.0', ...fork } },
    said('user', 'input_text', `A question to ${thread}`),
    said('assistant', 'output_text', `An answer of ${thread}`),
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

const forksOf = (thread: string): Record<string, unknown>[] => [
  { history_base: { thread_id: thread, end_ordinal_exclusive: 2 } },
  { forked_from_id: thread },
];

async function importFolder(folder: string): Promise<ImportReport> {
  const { forest, store, newId } = createImportWorld();
  const blobs = { put: (bytes: Uint8Array): Promise<string> => store.putBlob(bytes) };
  const job = { signal: new AbortController().signal, report: () => {} };
  return runImport({ forest, blobs, newId, origins: new Origins(), formats: [codexFormat] }, { paths: [folder] }, job);
}

test('[CD15] a pipe, a folder or a damaged file in the place of the other thread leaves a fork alone, and nothing is waited for', async (context) => {
  const places: ((path: string) => unknown)[] = [
    (path) => execFileSync('mkfifo', [path]),
    (path) => mkdirSync(path),
    (path) => writeFileSync(`${path}.zst`, 'not compressed'),
  ];
  for (const make of places) {
    for (const fork of forksOf(second)) {
      const folder = temporaryDirectory(context);
      writeFileSync(join(folder, nameOf(first)), rollout(first, fork));
      make(join(folder, nameOf(second)));
      const report = await importFolder(folder);
      assert.deepEqual([report.roots_added, report.nodes_added, report.lines_used], [1, 2, 3]);
    }
  }
});

test('[CD15] a file that names itself as the one that it was forked from stands alone', async (context) => {
  const folder = temporaryDirectory(context);
  // A part of the file's own name, which is not a thread id, matches that file.
  const [fork = {}] = forksOf('02T03-04-05');
  writeFileSync(join(folder, nameOf(first)), rollout(first, fork));
  const report = await importFolder(folder);
  assert.deepEqual([report.roots_added, report.nodes_added], [1, 2]);
  assert.match(report.warnings.join(), /stands alone/u);
});
