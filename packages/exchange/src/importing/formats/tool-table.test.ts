import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findCorpus, runs } from '@loom/blocks/testing';
import { toolsWithViews } from '@loom/blocks/views';
import { readRootSettings } from '@loom/kernel';
import type { JobHandle } from '@loom/kernel';
import { corpusOf } from '../../foreign/testing/material.ts';
import { runImport } from '../import-run.ts';
import { Origins } from '../origins.ts';
import { createImportWorld } from '../testing/imports.ts';
import { formats } from './formats.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../../docs/spec/views.md'), 'utf8');

/** Every name in the first column of the table: tools that have views, and those that have none on purpose. */
const inTable = new Set(
  page
    .slice(page.indexOf('\n## The table'))
    .split('\n')
    .filter((row) => row.startsWith('| '))
    .flatMap((row) => row.split(' | ')[0]?.match(/[\w.]+/gu) ?? []),
);

/** The placeholders with which publishers of sessions have replaced names. */
const disguises = /^(?:FailingTool|\[trimmed for fixture\]|\[REDACTED_NAME .*\])$/u;

const agents = ['claude-code', 'codex', 'gemini-cli', 'opencode', 'pi'];

test('[VW71] every tool with a view is in the table', () => {
  assert.deepEqual(
    toolsWithViews.filter((name) => !inTable.has(name)),
    [],
  );
});

for (const [corpus, every] of [
  ['claude-code-sessions', 3],
  ['codex-rollouts', 1],
  ['other-agent-sessions', 1],
] as const) {
  test(`[VW71] ${corpus}: every tool of an agent is in the table, as one that has views or as one that has none on purpose`, async (context) => {
    const found = findCorpus(corpus);
    if (!found.found) return context.skip(found.reason);
    const { files } = corpusOf(corpus, '**/*.jsonl', '**/*.json');
    const paths = files.filter((_, index) => index % runs(every, 1) === 0);
    const names = await toolsIn(paths);
    assert.ok(names.size > 5, [...names].join());
    const missing = [...names].filter((name) => !inTable.has(name) && !disguises.test(name));
    assert.deepEqual(
      missing.filter((name) => !name.startsWith('mcp__')),
      [],
      'add them to the table of docs/spec/views.md: with a view, or to those that have none',
    );
  });
}

/** The names of the tools that agents have called. */
async function toolsIn(paths: readonly string[]): Promise<Set<string>> {
  const world = createImportWorld();
  const { forest, store, newId } = world;
  const blobs = { put: (bytes: Uint8Array): Promise<string> => store.putBlob(bytes) };
  const job: JobHandle = { signal: new AbortController().signal, report: () => {} };
  await runImport({ forest, blobs, newId, origins: new Origins(), formats }, { paths }, job);
  const names = new Set<string>();
  for (const { config, nodes } of await world.states()) {
    if (!agents.includes(readRootSettings(config).origin?.source ?? '')) continue;
    for (const { blocks } of nodes.values())
      for (const block of blocks) if (block.type === 'tool-use') names.add(block.name);
  }
  return names;
}
