// Recorded keystrokes through `block.splice`, one call for each edit and each call durable in the memory store, beside bare Yjs that does
// the same edits and encodes an update for each, in the same run; the time of the first edit after a restart, beside bare Yjs that gets the
// same updates; and the time to look back at a long history.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import * as Y from 'yjs';
import { z } from 'zod';
import { utf8Length } from '@loom/blocks';
import { findCorpus } from '@loom/blocks/testing/corpus';
import { Forest } from '@loom/kernel/logs';
import { BlockTools } from '@loom/kernel/testing';
import type { Store } from '@loom/kernel/store';
import { createMemoryStore } from '@loom/stores/memory';
import { machineClock as clock, printHeader, printRatio } from './measure.ts';
import { measureFirstEdit } from './text-restart.ts';
import { measureHistory } from './text-history.ts';

const ratioLimit = 4;
const slowestLimit = 250;
/** The number of alternating rounds; more for short traces, which a moment of other work disturbs more. */
const rounds = { long: 3, short: 7 };

/** An edit as it was recorded: a place in UTF-16 (no trace has anything beyond), and the same in bytes. */
interface Edit {
  at: number;
  delete: number;
  insert: string;
  byte: number;
  bytes: number;
}

interface Trace {
  name: string;
  start: string;
  end: string;
  edits: Edit[];
}

const recorded = z.object({
  startContent: z.string(),
  endContent: z.string(),
  txns: z.array(z.object({ patches: z.array(z.tuple([z.number(), z.number(), z.string()])) })),
});

const none = { yjs: Number.NaN, loom: Number.NaN };

printHeader('text');
for (const trace of traces()) {
  const pairs: { yjs: number; loom: number }[] = [];
  let latencies: number[] = [];
  let store: Store | undefined;
  for (let round = 0; round < (trace.edits.length > 100_000 ? rounds.long : rounds.short); round += 1) {
    const yjs = runYjs(trace);
    const loom = await runLoom(trace);
    pairs.push({ yjs, loom: loom.milliseconds });
    ({ latencies, store } = loom);
  }
  // A round is compared with itself: the machine is now slower, now faster, for both.
  const { yjs, loom } = pairs.toSorted((a, b) => a.loom / a.yjs - b.loom / b.yjs)[Math.floor(pairs.length / 2)] ?? none;
  const { name, edits, end } = trace;
  const size = `${edits.length.toLocaleString('en')} edits, ${Math.round(end.length / 1024)} KB`;
  printRatio(`${name}, ${size}; block.splice ÷ bare Yjs`, loom, yjs, ratioLimit);
  if (end.length > 100_000) printSlowest(latencies);
  if (store !== undefined) await measureFirstEdit(store);
}

await measureHistory();

function printSlowest(latencies: readonly number[]): void {
  const sorted = latencies.slice(-20_000).sort((a, b) => a - b);
  const slowest = Math.round((sorted[Math.floor(sorted.length * 0.99)] ?? 0) * 1000);
  const verdict = slowest <= slowestLimit ? 'within' : 'ABOVE';
  console.log(`  its last 20,000 edits, at 100 KB: p99 ${slowest} µs (${verdict} the limit of ${slowestLimit} µs)`);
}

function runYjs({ start, end, edits }: Trace): number {
  const doc = new Y.Doc({ gc: false });
  const text = doc.getText('text');
  text.insert(0, start);
  let bytes = 0;
  doc.on('update', (update: Uint8Array) => (bytes += update.length));
  const begun = performance.now();
  for (const { at, delete: count, insert } of edits) {
    doc.transact(() => {
      if (count > 0) text.delete(at, count);
      if (insert !== '') text.insert(at, insert);
    });
  }
  const milliseconds = performance.now() - begun;
  if (text.toJSON() !== end || bytes === 0) throw new Error('Yjs did not come to the recorded text');
  return milliseconds;
}

async function runLoom({ start, end, edits }: Trace) {
  let last = 0;
  const ids = { next: () => String((last += 1)) };
  const store: Store = createMemoryStore();
  const forest = new Forest({ store, clock, ids });
  const tools = new BlockTools({ forest, ids });
  const request = () => ({ agent: 'person', id: ids.next() });
  const created = await tools.create(request(), { role: 'user', kind: 'text', content: start });
  if ('refusal' in created) throw new Error(JSON.stringify(created.refusal));
  const { block_id } = created;
  const latencies: number[] = [];
  const begun = performance.now();
  let before = begun;
  for (const { byte: offset, bytes: delete_count, insert } of edits) {
    const answer = await tools.splice(request(), { block_id, offset, delete_count, insert });
    if ('refusal' in answer) throw new Error(JSON.stringify(answer.refusal));
    const now = performance.now();
    latencies.push(now - before);
    before = now;
  }
  const milliseconds = performance.now() - begun;
  const read = await tools.read({ block_id, line_numbers: false });
  if ('refusal' in read || read.content !== end) throw new Error('the block does not say what was recorded');
  return { milliseconds, latencies, store };
}

function traces(): Trace[] {
  const corpus = findCorpus('editing-traces');
  if (!corpus.found) {
    console.log(`  ${corpus.reason}; a made-up trace instead`);
    return [madeUpTrace()];
  }
  const directory = join(corpus.directory, 'sequential_traces');
  const found = readdirSync(directory).map((file): Trace => {
    const { startContent, endContent, txns } = recorded.parse(
      JSON.parse(gunzipSync(readFileSync(join(directory, file))).toString()),
    );
    const patches = txns.flatMap((transaction) => transaction.patches);
    return {
      name: file.replace('.json.gz', ''),
      start: startContent,
      end: endContent,
      edits: inBytes(startContent, patches),
    };
  });
  // The longest last: its garbage would slow the others down.
  return found.sort((a, b) => a.edits.length - b.edits.length);
}

function inBytes(start: string, patches: readonly [number, number, string][]): Edit[] {
  const isAscii = [start, ...patches.map(([, , insert]) => insert)].every((text) => utf8Length(text) === text.length);
  let text = start;
  return patches.map(([at, count, insert]) => {
    if (isAscii) return { at, delete: count, insert, byte: at, bytes: count };
    const edit = {
      at,
      delete: count,
      insert,
      byte: utf8Length(text.slice(0, at)),
      bytes: utf8Length(text.slice(at, at + count)),
    };
    text = text.slice(0, at) + insert + text.slice(at + count);
    return edit;
  });
}

/** A person writes a text of 105 KB, mostly at one place, sometimes elsewhere, and takes a tenth of it back. */
function madeUpTrace(): Trace {
  const edits: Edit[] = [];
  let text = '';
  let seed = 1;
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let place = 0; text.length < 105_000;) {
    if (random(200) === 0) place = random(text.length + 1);
    const isBack = place > 0 && random(10) === 0;
    const edit = isBack
      ? { at: place - 1, delete: 1, insert: '' }
      : { at: place, delete: 0, insert: 'abcde fg\n'.charAt(random(9)) };
    text = text.slice(0, edit.at) + edit.insert + text.slice(edit.at + edit.delete);
    place = edit.at + edit.insert.length;
    edits.push({ ...edit, byte: edit.at, bytes: edit.delete });
  }
  return { name: 'made up', start: '', end: text, edits };
}
