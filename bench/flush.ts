// The cost of node files: `NodeFiles` writes a conversation of so many messages to files, against the same bytes written, synced and
// renamed one by one in the same run.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { open as openFile, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Message } from '@loom/blocks';
import { Forest } from '@loom/kernel/logs';
import { NodeFiles } from '@loom/node-files';
import { openSqliteStore } from '@loom/stores/sqlite';
import { machineClock as clock, printHeader } from './measure.ts';
import { SampleText } from './sample-text.ts';

const blockLength = 800;
/** The number of files written one by one, for the comparison. */
const bareFiles = 1000;
let lastId = 0;
const ids = { next: (): string => String((lastId += 1)).padStart(26, '0') };

const directory = mkdtempSync(join(tmpdir(), 'loom-bench-flush-'));
try {
  // Fewer for a quick look: node bench/flush.ts 5000
  await measure(Number(process.argv[2] ?? 20_000));
} finally {
  if (existsSync(directory)) rmSync(directory, { recursive: true });
}

async function measure(nodes: number): Promise<void> {
  printHeader('flush');
  const store = await openSqliteStore({ directory });
  const forest = new Forest({ store, clock, ids });
  const root = await fill(forest, nodes);
  const written = await NodeFiles.open({ directory, forest, store, clock });
  const begun = performance.now();
  // Nothing is there yet, so that a check finds everything to be written.
  await written.checkRoot(root);
  const checked = performance.now() - begun;
  await written.flush();
  const flushed = performance.now() - begun;
  await written.close();
  forest.close();
  await store.close();
  const rate = nodes / (flushed / 1000);
  const bare = await writeBare(join(directory, root, 'nodes'));
  console.log(`  ${nodes} node files in ${(flushed / 1000).toFixed(2)} s (${checked.toFixed(0)} ms of them to look)`);
  console.log(
    `  ${Math.round(rate)} node files a second ÷ ${Math.round(bare)} written bare, one by one = ${(rate / bare).toFixed(2)}`,
  );
}

async function fill(forest: Forest, nodes: number): Promise<string> {
  const sample = new SampleText(1);
  const created = await forest.createRoot({ agent: 'importer', id: ids.next() });
  if (!created.ok) throw new Error(JSON.stringify(created.refusal));
  const { root } = created.value;
  let parent = root;
  for (let written = 0; written < nodes; written += 100) {
    const messages = Array.from({ length: 100 }, (_, index): Message => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: [{ type: 'text', text: sample.block(blockLength) }],
    }));
    const outcome = await forest.append({ agent: 'importer', id: ids.next() }, root, { parent, messages });
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.refusal));
    parent = outcome.value.nodes.at(-1) ?? parent;
  }
  await forest.saveSnapshots();
  return root;
}

/** Files a second, when each is written under another name, synced and renamed before the next is begun. */
async function writeBare(source: string): Promise<number> {
  const files = readdirSync(source)
    .slice(0, bareFiles)
    .map((name) => ({ name, bytes: readFileSync(join(source, name)) }));
  const folder = join(directory, 'bare');
  mkdirSync(folder);
  const begun = performance.now();
  for (const { name, bytes } of files) {
    const path = join(folder, name);
    const file = await openFile(`${path}.tmp`, 'wx');
    await file.writeFile(bytes);
    await file.sync();
    await file.close();
    await rename(`${path}.tmp`, path);
  }
  return files.length / ((performance.now() - begun) / 1000);
}
