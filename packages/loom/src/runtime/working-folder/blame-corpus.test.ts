import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { findCorpus, runs } from '@loom/blocks/testing';
import type { ResultOf } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { ForestFolder } from '../../testing/forest-folder.ts';
import { withReader } from '../opened-folder.ts';
import { RebuiltRepository } from './testing/rebuilt-repository.ts';

/** Returns some sessions that changed files: another choice of all in each deep run. */
function sessionsIn(folder: string): string[] {
  const changing = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile() && found.name.endsWith('.jsonl'))
    .map((found) => join(found.parentPath, found.name))
    .toSorted()
    .filter((file) => (readFileSync(file, 'utf8').match(/"structuredPatch"/gu) ?? []).length > 5);
  return changing.filter((_, index) => index % runs(20, 1) === 0);
}

async function importInto(t: TestContext, { transcript }: RebuiltRepository): Promise<ForestFolder> {
  const folder = new ForestFolder(t);
  const session = join(temporaryDirectory(t), 'session.jsonl');
  writeFileSync(session, transcript);
  await folder.succeed(['import', session]);
  return folder;
}

/** The lines of a file, each with whether git and Loom say that the session wrote it. */
interface ComparedLine {
  text: string;
  isSession: boolean;
  isFound: boolean;
}

function compareLines(
  { text, ranges }: ResultOf<'file.blame'>,
  authors: readonly string[],
  path: string,
): ComparedLine[] {
  assert.equal(text.length, authors.length, path);
  return ranges.flatMap(({ start, end, turn }) =>
    text.slice(start - 1, end).map((line, index) => ({
      text: line,
      isSession: authors[start - 1 + index] === 'session',
      isFound: turn !== undefined,
    })),
  );
}

/**
 * A comparison may read a change of lines that are there several times in more than one way, and git's is only one of them. A short line such
 * as `end` is not told without its neighbors.
 */
function assertAgree(lines: readonly ComparedLine[], repeated: ReadonlySet<string>, path: string): void {
  const differing = lines.filter(
    ({ text, isSession, isFound }) =>
      isSession !== isFound && !repeated.has(text) && (isFound || text.trim().length >= 8),
  );
  assert.deepEqual(differing, [], path);
}

test('[BL1] of repositories that are rebuilt from open sessions, every line that a session wrote is found, and no other one', async (t) => {
  const corpus = findCorpus('claude-code-sessions');
  if (!corpus.found) return t.skip(corpus.reason);
  let [found, repeated] = [0, 0];
  for (const file of sessionsIn(corpus.directory)) {
    const repository = new RebuiltRepository(temporaryDirectory(t), file);
    const { dataDir } = await importInto(t, repository);
    await withReader({ dataDir }, async (loom) => {
      for (const path of repository.files) {
        const blamed = await loom.call('file.blame', { path: join(repository.directory, path) });
        assert.ok(blamed.ok, JSON.stringify(blamed));
        const lines = compareLines(blamed.value, repository.authors(path), path);
        assertAgree(lines, repository.repeated, path);
        found += lines.filter(({ isFound }) => isFound).length;
        repeated += lines.filter(({ isFound, isSession }) => isFound !== isSession).length;
      }
    });
  }
  assert.ok(found > 100, `only ${found} lines`);
  assert.ok(repeated < found / 20, `${repeated} of ${found} repeated lines are told otherwise than git does`);
});

test('[BL2] what another person does to the files afterwards is not taken for the work of the session, which is still found', async (t) => {
  const corpus = findCorpus('claude-code-sessions');
  if (!corpus.found) return t.skip(corpus.reason);
  let found = 0;
  for (const file of sessionsIn(corpus.directory).slice(0, runs(1, 100))) {
    const repository = new RebuiltRepository(temporaryDirectory(t), file);
    const { dataDir } = await importInto(t, repository);
    const copies = new Map<string, number>();
    const moved = new Map<string, string>();
    for (const [index, path] of [...repository.files].entries()) {
      const lines = readFileSync(join(repository.directory, path), 'utf8').split('\n');
      const authors = repository.authors(path);
      const written = lines.filter((_, line) => authors[line] === 'session').slice(0, 5);
      const edited = lines.flatMap((line, number) => {
        if (number % 17 === 3) return [];
        if (number % 23 === 5) return [`${line} // by another person`];
        return number % 29 === 7 ? [`a new line ${number}`, line] : [line];
      });
      // The same lines once more, at another place, by another person.
      copies.set(path, written.length);
      repository.writeAsOther(path, [...edited, 'the end', ...written, ''].join('\n'));
      if (index % 3 !== 0) continue;
      const target = `moved/${index}.txt`;
      repository.move(path, target);
      moved.set(path, target);
    }
    await withReader({ dataDir }, async (loom) => {
      for (const path of repository.files) {
        const now = moved.get(path) ?? path;
        const blamed = await loom.call('file.blame', { path: join(repository.directory, now) });
        assert.ok(blamed.ok, JSON.stringify(blamed));
        const lines = compareLines(blamed.value, repository.authors(now), now);
        assertAgree(lines, repository.repeated, now);
        const copied = lines.slice(lines.length - (copies.get(path) ?? 0));
        assert.deepEqual(
          copied.filter(({ isFound }) => isFound),
          [],
          `${now}: copies by another person`,
        );
        found += lines.filter(({ isFound }) => isFound).length;
      }
    });
  }
  assert.ok(found > 20, `only ${found} lines`);
});
