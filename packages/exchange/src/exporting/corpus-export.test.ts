import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isPlainObject } from '@loom/blocks';
import { findCorpus, runs } from '@loom/blocks/testing';
import type { JobHandle, RootState } from '@loom/kernel';
import { createTranscriptReader } from '../claude-code/index.ts';
import { createRolloutReader } from '../codex/index.ts';
import { formats } from '../importing/formats/formats.ts';
import { runImport } from '../importing/import-run.ts';
import { Origins } from '../importing/origins.ts';
import { createImportWorld } from '../importing/testing/imports.ts';
import type { ImportWorld } from '../importing/testing/imports.ts';
import { messagesExport } from './arrays/message-arrays.ts';
import { openSession, recordOrigins } from './session-names.ts';
import { exportSource } from './source.ts';
import type { ExportSource } from './source.ts';
import { gathered } from './testing/sample-source.ts';
import { vendorFindings } from './testing/vendor-schemas.ts';

const job: JobHandle = { signal: new AbortController().signal, report: () => {} };

/** Every file in the deep run, else each n-th. */
const corpora = [
  ['claude-code-sessions', 40],
  ['codex-rollouts', 8],
  ['chat-exports', 3],
  ['other-agent-sessions', 4],
  ['openai-legacy-messages', 1],
] as const;

for (const [name, every] of corpora) {
  test(`[XP20] [XP21] ${name}: what is exported is what vendors take, and sessions come back without a conflict`, async (context) => {
    const corpus = findCorpus(name);
    if (!corpus.found) return context.skip(corpus.reason);
    const files = readdirSync(corpus.directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:jsonl|json|zip)$/u.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .filter((_, index) => index % runs(every, 1) === 0);
    let branches = 0;
    const findings: string[] = [];
    for (const file of files) {
      const world = createImportWorld();
      const blobs = { put: (bytes: Uint8Array): Promise<string> => world.store.putBlob(bytes) };
      const { forest, newId } = world;
      await runImport({ forest, blobs, newId, origins: new Origins(), formats }, { paths: [file] }, job);
      for (const [index, state] of (await world.states()).entries()) {
        const source = exportSource(state, { get: async (id) => (await world.store.getBlob(id)) ?? undefined });
        branches += await checkArrays(source, (finding) => findings.push(`${file}: ${finding}`));
        if (index < mostRoots)
          await checkSessions(world, state, source, (finding) => findings.push(`${file}: ${finding}`));
      }
    }
    assert.deepEqual(findings, []);
    assert.ok(branches > 0);
    context.diagnostic(`${branches} branches of ${files.length} files, in three formats`);
  });
}

/** Each import looks at all roots of its forest: of files with hundreds of conversations, only this many are written as sessions. */
const mostRoots = 20;

/** Checks the messages of every branch against the schemas of the vendors. Returns the number of branches. */
async function checkArrays(source: ExportSource, found: (finding: string) => void): Promise<number> {
  let count = 0;
  for (const format of ['openai', 'anthropic', 'ai-sdk'] as const) {
    const branches: unknown = JSON.parse(await gathered(messagesExport(source, {}, format)));
    assert.ok(Array.isArray(branches));
    count = branches.length;
    for (const branch of branches) {
      assert.ok(isPlainObject(branch));
      const { node, messages, ...rest } = branch;
      // A branch without messages for models is an empty list, which is not a valid request.
      if (Array.isArray(messages) && messages.length === 0) continue;
      const [first] = vendorFindings(format, format === 'anthropic' ? { ...rest, messages } : messages);
      if (first !== undefined) found(`${format} of ${String(node)}: ${first}`);
    }
  }
  return count;
}

/** Writes the branches for both agents, reads them back, and asserts that nothing is new and nothing differs. */
async function checkSessions(
  world: ImportWorld,
  state: RootState,
  source: ExportSource,
  found: (finding: string) => void,
): Promise<void> {
  for (const [format, open] of [
    ['claude-code', createTranscriptReader],
    ['codex', createRolloutReader],
  ] as const) {
    for (const { id: end } of state.recentLeaves(runs(2, 50))) {
      const session = openSession(state, source, { format, end, otherwise: '/home/me' });
      const lines = (await gathered(session.lines())).split('\n').slice(0, -1);
      if (session.origins.length === 0) continue;
      await recordOrigins(world.forest, { agent: 'person', id: world.newId() }, state.id, session, format);
      const reader = open({});
      for (const line of lines) reader.push(line);
      reader.end();
      const importer = await world.importer(format);
      await importer.take(reader.take());
      const { counts, others } = importer;
      const added = counts.roots_added + counts.nodes_added + counts.blocks_added;
      if (others.size > 0) found(`${format} session of ${end}: ${[...others.keys()].join(', ')} differ`);
      if (added > 0) found(`${format} session of ${end}: ${JSON.stringify(counts)}`);
    }
  }
}
