// The cost of one key in a block that is open for editing, in three sizes of its text: the work of a replica until the key shows and is
// kept for the time after a reload, beside a bare Yjs insert that writes its update, in the same run. `offline` types without a connection;
// `confirmed` types keys that the server confirms one by one.
import * as Y from 'yjs';
import { ClientText } from '@loom/blocks/document';
import { createWebOutboxStorage, TextStorage } from '@loom/client';
import { parseClientFrame, Replica } from '@loom/sync';
import { editTexts } from '@loom/sync/editing';
import { machineClock as clock, median, printHeader, printRatio } from './measure.ts';

const sizes = { '10 KB': 10_000, '100 KB': 100_000, '1 MB': 1_000_000 };
/** The highest cost of a key in a replica, as a multiple of one in Yjs. */
const ratioLimit = 8;
const keys = 400;
/** The number of keys for Yjs: more, since its keys are too short for the clock of the processor. */
const yjsKeys = 20_000;
const rounds = 5;
const root = 'root';
const block = 'root/@person/1';
const cursor = { epoch: 'epoch', seq: 1 };

printHeader('typing');
for (const [size, length] of Object.entries(sizes)) {
  const line = 'A line of a text that someone works on for a while.\n';
  const text = line.repeat(Math.ceil(length / line.length)).slice(0, length);
  for (const mode of ['offline', 'confirmed'] as const) {
    const pairs = Array.from({ length: rounds }, () => ({ yjs: typeInYjs(text), loom: typeInReplica(text, mode) }));
    const [yjs, loom] = [median(pairs.map((pair) => pair.yjs)), median(pairs.map((pair) => pair.loom))];
    printRatio(`${size}, 1,000 keys, ${mode}; replica ÷ bare Yjs`, loom * 1000, yjs * 1000, ratioLimit);
  }
}

/** Returns the places of the keys: each goes behind the one before, from the middle of the text on. */
function places(text: string, count: number): number[] {
  return Array.from({ length: count }, (_, index) => Math.floor(text.length / 2) + index);
}

/** Milliseconds for a key. */
function typeInYjs(start: string): number {
  const doc = new Y.Doc({ gc: false });
  const text = doc.getText('text');
  text.insert(0, start);
  let bytes = 0;
  doc.on('update', (update: Uint8Array) => (bytes += update.length));
  const milliseconds = time(() => {
    for (const at of places(start, yjsKeys)) text.insert(at, 'x');
  });
  return milliseconds / yjsKeys;
}

/** Milliseconds for a key. */
function typeInReplica(start: string, mode: 'offline' | 'confirmed'): number {
  let last = 0;
  const ids = { next: () => `id-${String((last += 1)).padStart(30, '0')}` };
  const storage = createWebOutboxStorage(memoryArea(), 'server/person', {
    addEventListener() {},
    removeEventListener() {},
  });
  const fail = (error: unknown): never => {
    throw error instanceof Error ? error : new Error(JSON.stringify(error));
  };
  const replica = new Replica({
    root,
    clock,
    ids,
    createTexts: editTexts((client, seed) => new ClientText(client, seed)),
    keeper: new TextStorage(storage, fail),
    onLost: fail,
  });
  let version = 1;
  const sent: string[] = [];
  /** The part of a server that matters here. */
  const answer = (frame: ReturnType<typeof parseClientFrame>): void => {
    if (frame.type === 'join') {
      const node = { id: `${root}/node-1`, parent: root, role: 'user', source: {}, time: 1, touched: 1 };
      const blocks = [{ block_id: block, type: 'text', text: start, version: 1 }];
      const about = { config: {}, tags: [], deleted: false, bookmarks: {}, turns: [], endings: [], waiting: [] };
      const snapshot = { root: about, leaf: node.id, nodes: [{ ...node, blocks }], others: 0 };
      replica.receive({ type: 'welcome', id: frame.id, agent: 'person', cursor, here: [], cursors: [], snapshot });
    } else if (frame.type === 'open') {
      replica.receive({ type: 'opened', id: frame.id, block, client: 7, version: 1, since: 1, text: start });
    } else if (frame.type === 'update') {
      for (const { id } of frame.edits) replica.receive({ type: 'ack', id, version: (version += 1) });
    }
  };
  const answerAll = (): void => {
    for (const text of sent.splice(0)) answer(parseClientFrame(JSON.parse(text)));
  };
  replica.connect((text) => void sent.push(text));
  answerAll();
  replica.open(block);
  answerAll();
  if (!replica.isOpen(block)) throw new Error('the block was not opened');
  if (mode === 'offline') replica.disconnect();
  // The first key builds the document and keeps it whole; that is the cost of opening, not of a key.
  const type = (at: number): void => {
    replica.edit(block, [{ at, delete: 0, insert: 'x' }]);
    answerAll();
  };
  type(0);
  const milliseconds = time(() => {
    for (const at of places(start, keys)) type(at + 1);
  });
  if (replica.text(block)?.length !== start.length + keys + 1) throw new Error('a key was lost');
  return milliseconds / keys;
}

/** Returns a storage of a page that copies its values, as a browser's does. */
function memoryArea(): Parameters<typeof createWebOutboxStorage>[0] {
  const kept = new Map<string, Buffer>();
  return {
    get length() {
      return kept.size;
    },
    key: (index) => [...kept.keys()][index] ?? null,
    getItem: (key) => kept.get(key)?.toString('utf16le') ?? null,
    setItem: (key, value) => void kept.set(key, Buffer.from(value, 'utf16le')),
    removeItem: (key) => void kept.delete(key),
  };
}

/** Milliseconds of this thread's own work: a busy machine takes the processor away, which says nothing about the code. */
function time(work: () => void): number {
  const start = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}
