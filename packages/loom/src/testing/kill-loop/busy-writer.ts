// Writes to a data folder as fast as it can until it is killed, and prints the acknowledged writes on its standard output, line by line.
import { LoomEngine } from '@loom/kernel';
import { BlockTools } from '@loom/kernel/testing';
import type { FeedEvent, FeedItem, Provider, ProviderEvent, Request } from '@loom/kernel';
import type { Store } from '@loom/kernel/store';
import { z } from 'zod';
import { NodeFiles } from '@loom/node-files';
import { openStore } from '@loom/data-folder';
import { createSortableIds } from '../../runtime/sortable-ids.ts';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import type { Acknowledgement } from './acknowledgement.ts';
import { word } from './acknowledgement.ts';
import { acknowledgeEarly } from './early-acknowledgement.ts';
import { printLine } from './line-output.ts';

/** The file to start a writer with, and its arguments: the data folder, what keeps the logs, and the manner. */
export const busyWriterProgram = import.meta.filename;

/** The kinds of writers: a sound one, one with node files beside its logs, or one with a fault. */
const manners = ['plain', 'node-files', 'early', 'unrecovered'] as const;
export type WriterManner = (typeof manners)[number];

const options = z.tuple([z.string(), z.enum(STORE_KINDS), z.enum(manners)]);

async function writeUntilKilled(args: readonly string[]): Promise<never> {
  const [directory, kind, manner] = options.parse(args);
  const opened = await openStore(directory, kind);
  const store: Store = manner === 'early' ? acknowledgeEarly(opened) : opened;
  const ids = createSortableIds();
  const clock = {
    now: Date.now,
    after(milliseconds: number, callback: () => void) {
      const timer = setTimeout(callback, milliseconds);
      return () => clearTimeout(timer);
    },
  };
  const engine = new LoomEngine({
    store,
    clock,
    ids,
    hash: { hex: (text) => String(text.length) },
    providers: [talker],
    tools: [],
    holder: `writer-${process.pid}`,
    exclusive: true,
    snapshotEvery: 50,
  });
  const tools = new BlockTools({ forest: engine.forest, ids });
  const request = (): Request => ({ agent: 'person', id: ids.next() });
  if (manner === 'node-files') await NodeFiles.open({ directory, forest: engine.forest, store, clock });
  const root = await findRoot(engine, request);
  const writer: Writer = { engine, tools, root, request };
  await engine.recover(root);
  const pair = await findPair(writer);
  engine.forest.log(root).subscribe((item) => tellOfWords(item, pair));
  say({ type: 'ready', root });
  return Promise.race([talk(writer), editPair(writer, pair), listen(writer)]);
}

interface Writer {
  engine: LoomEngine;
  tools: BlockTools;
  root: string;
  request: () => Request;
}

function say(acknowledgement: Acknowledgement): void {
  printLine(acknowledgement);
}

async function findRoot(engine: LoomEngine, request: () => Request): Promise<string> {
  const [known] = await engine.forest.roots();
  if (known !== undefined) return known;
  const created = await engine.forest.createRoot(request());
  if (!created.ok) throw new Error(JSON.stringify(created.refusal));
  return created.value.root;
}

/** A block of two lines that always say the same number: a reader that sees two has seen half a batch. */
async function findPair({ engine, tools, root, request }: Writer): Promise<string> {
  const state = await engine.forest.log(root).state();
  const known = [...state.nodes.values()].find(
    ({ blocks }) => blocks[0]?.type === 'text' && blocks[0].text.startsWith('pair '),
  );
  if (known?.blocks[0]?.block_id !== undefined) return known.blocks[0].block_id;
  const made = await tools.create(request(), {
    parent_id: root,
    role: 'user',
    kind: 'text',
    content: 'pair 0\npair 0\n',
  });
  if ('refusal' in made) throw new Error(JSON.stringify(made.refusal));
  return made.block_id;
}

/** Says something below the root, again and again. */
async function talk({ engine, root, request }: Writer): Promise<never> {
  for (let number = 0; ; number += 1) {
    const text = `said ${process.pid} ${number}`;
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text }] satisfies [unknown] }];
    const outcome = await engine.forest.append(request(), root, { parent: root, messages });
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.refusal));
    say({ type: 'said', seq: outcome.cursor.seq, node: outcome.value.nodes.at(-1) ?? '', text });
  }
}

async function editPair({ tools, request }: Writer, pair: string): Promise<never> {
  for (;;) {
    const read = await tools.read({ block_id: pair, line_numbers: false });
    if ('refusal' in read) throw new Error(JSON.stringify(read.refusal));
    const next = `pair ${Number(read.content.split('\n')[0]?.slice(5)) + 1}`;
    const line = (at: number) => ({ op: 'replace' as const, start_line: at, end_line: at + 1, content: next });
    const edited = await tools.edit(request(), { block_id: pair, operations: [line(0), line(1)] });
    if ('refusal' in edited) throw new Error(JSON.stringify(edited.refusal));
    say({ type: 'pair', number: Number(next.slice(5)) });
  }
}

/** Lets the model answer, one turn after the other. */
async function listen({ engine, root, request }: Writer): Promise<never> {
  for (;;) {
    const state = await engine.forest.log(root).state();
    const node = [...state.nodes.keys()][0] ?? root;
    const outcome = await engine.turns.generate(request(), root, { node, provider: 'talker', model: 'one' });
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.refusal));
    await engine.turns.wait(outcome.value.turns[0] ?? '');
  }
}

/** Reports the words that subscribers receive, which are durable. */
function tellOfWords(item: FeedItem<FeedEvent>, pair: string): void {
  for (const event of item.type === 'change' ? item.events : []) {
    if (event.type === 'text-appended' && event.block !== pair)
      say({ type: 'words', block: event.block, text: event.text });
  }
}

const talker: Provider = {
  id: 'talker',
  async *stream(): AsyncGenerator<ProviderEvent> {
    yield { type: 'call-start' };
    yield { type: 'block-start', key: 'a', message: 'm', role: 'assistant', block: { type: 'text', text: '' } };
    for (let index = 0; index < 400; index += 1) {
      yield { type: 'block-delta', key: 'a', field: 'text', text: word(index) };
      if (index % 8 === 7) await new Promise(setImmediate);
    }
    yield { type: 'block-end', key: 'a' };
    yield { type: 'call-end', reason: 'stop' };
  },
};

if (import.meta.main) await writeUntilKilled(process.argv.slice(2));
