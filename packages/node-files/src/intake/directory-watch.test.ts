import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { machineWatch } from './directory-watch.ts';

test('[NW40] the watch tells of files in folders that were there, that came later, and that came again', async (t) => {
  const directory = temporaryDirectory(t);
  mkdirSync(join(directory, 'root-1', 'nodes'), { recursive: true });
  const { hears } = await watch(t, directory);
  writeFileSync(join(directory, 'root-1', 'nodes', 'node-1.json'), '1');
  await hears('root-1/nodes/node-1.json');
  writeFileSync(join(directory, 'root-1', 'root.json'), '2');
  await hears('root-1/root.json');
  writeFileSync(join(directory, 'roots.json'), '3');
  await hears('roots.json');

  /** Events come in their order: once the mark's event comes, all events before it have come. */
  let marks = 0;
  const settle = async (): Promise<void> => {
    marks += 1;
    writeFileSync(join(directory, `mark-${marks}`), '');
    await hears(`mark-${marks}`);
  };
  mkdirSync(join(directory, 'root-2'));
  await settle();
  mkdirSync(join(directory, 'root-2', 'nodes'));
  await hears('root-2/nodes');
  writeFileSync(join(directory, 'root-2', 'nodes', 'node-1.json'), '4');
  await hears('root-2/nodes/node-1.json');

  rmSync(join(directory, 'root-1'), { recursive: true });
  await settle();
  mkdirSync(join(directory, 'root-1', 'nodes'), { recursive: true });
  await settle();
  writeFileSync(join(directory, 'root-1', 'nodes', 'node-7.json'), '5');
  await hears('root-1/nodes/node-7.json');

  renameSync(join(directory, 'root-2'), join(directory, 'root-3'));
  await settle();
  writeFileSync(join(directory, 'root-3', 'nodes', 'node-2.json'), '6');
  await hears('root-3/nodes/node-2.json');
});

test('[NW40] what is no folder of a root is not watched, and nothing is told after the end', async (t) => {
  const directory = temporaryDirectory(t);
  const elsewhere = temporaryDirectory(t);
  mkdirSync(join(directory, 'root-1', 'nodes', 'deeper'), { recursive: true });
  symlinkSync(elsewhere, join(directory, 'root-2'));
  const { hears, heard, end } = await watch(t, directory);
  writeFileSync(join(elsewhere, 'root.json'), '1');
  writeFileSync(join(directory, 'root-1', 'nodes', 'deeper', 'node-1.json'), '2');
  writeFileSync(join(directory, 'root-1', 'nodes', 'node-1.json'), '3');
  await hears('root-1/nodes/node-1.json');
  assert.deepEqual([...new Set(heard)], ['root-1/nodes/node-1.json']);

  end();
  heard.length = 0;
  const next = await watch(t, directory);
  writeFileSync(join(directory, 'root-1', 'root.json'), '4');
  await next.hears('root-1/root.json');
  assert.deepEqual(heard, []);
});

test('[NW40] a directory that cannot be watched is reported once', async (t) => {
  const { failures } = await watch(t, join(temporaryDirectory(t), 'gone'));
  assert.equal(failures.length, 1);
});

interface Watching {
  heard: string[];
  failures: unknown[];
  /** Resolves on the next event for a path, counted from the end of the call before. */
  hears: (path: string) => Promise<void>;
  end: () => void;
}

async function watch(t: TestContext, directory: string): Promise<Watching> {
  const [heard, failures]: [string[], unknown[]] = [[], []];
  const ending = new AbortController();
  t.after(() => ending.abort());
  let from = 0;
  let wake = (): void => {};
  const changed = (path: string): void => {
    heard.push(path);
    wake();
  };
  await machineWatch.start(directory, { changed, failed: (error) => failures.push(error) }, ending.signal);
  return {
    heard,
    failures,
    async hears(path) {
      while (!heard.includes(path, from)) await new Promise<void>((resolve) => (wake = resolve));
      from = heard.indexOf(path, from) + 1;
    },
    end: () => ending.abort(),
  };
}
