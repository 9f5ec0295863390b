import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { messageBlock } from '@loom/blocks';
import { findCorpus } from '@loom/blocks/testing/corpus';
import { temporaryDirectory } from '@loom/kernel/testing';
import { Tally } from '../foreign/foreign.ts';
import type { ForeignItem } from '../foreign/foreign.ts';
import { ItemForest } from '../foreign/testing/item-forest.ts';
import { chatFormats } from './chat-formats.ts';
import { readChats, recognizeChats } from './read-chats.ts';
import type { RandomAccess } from './random-access.ts';
import { fileOf, zipOf } from './testing/zip-file.ts';

async function read(file: RandomAccess): Promise<{ items: ForeignItem[]; tally: Tally; batches: number }> {
  const tally = new Tally();
  const product = await recognizeChats(file);
  assert.ok(product !== undefined);
  const items: ForeignItem[] = [];
  let batches = 0;
  for await (const batch of readChats(file, product, tally)) {
    items.push(...batch);
    batches += 1;
  }
  return { items, tally, batches };
}

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const conversation = (id: string) => ({
  conversation_id: id,
  title: 'A chat',
  create_time: 1_700_000_000,
  mapping: {
    root: { id: 'root', message: null, parent: null, children: ['u'] },
    u: {
      parent: 'root',
      children: ['a'],
      message: {
        author: { role: 'user' },
        create_time: 1_700_000_001,
        content: {
          content_type: 'multimodal_text',
          parts: ['Look', { content_type: 'image_asset_pointer', asset_pointer: 'file-service://file-AbC1' }],
        },
      },
    },
    a: {
      parent: 'u',
      children: [],
      message: {
        author: { role: 'assistant' },
        content: { content_type: 'text', parts: ['I see.'] },
        metadata: { model_slug: 'gpt-4o' },
      },
    },
  },
});

test('[CE3] an archive is read with the files that belong to its conversations; other entries are left alone', async () => {
  const documents = [conversation('one'), conversation('two')].map((value) => Buffer.from(JSON.stringify([value])));
  const archive = zipOf([
    { name: 'user.json', bytes: Buffer.from('{}') },
    { name: 'conversations-000.json', bytes: documents[0] ?? new Uint8Array() },
    { name: 'export/conversations-001.json', bytes: documents[1] ?? new Uint8Array(), isStored: true },
    { name: 'file-AbC1-photo.png', bytes: png },
    { name: '../conversations.json', bytes: Buffer.from('[]') },
  ]);
  const { items, tally, batches } = await read(fileOf(archive));
  assert.equal(batches, 2);
  const forest = new ItemForest();
  forest.apply(items);
  const [user] = [...forest.nodes.values()];
  assert.deepEqual(
    user?.blocks.map(({ block }) => block),
    [
      { type: 'text', text: 'Look' },
      {
        type: 'image',
        media_type: 'image/png',
        url: `data:image/png;base64,${png.toString('base64')}`,
        filename: 'file-AbC1-photo.png',
      },
    ],
  );
  assert.deepEqual(tally.counts, { read: 8, used: 8, raw: 0, reported: 0 });
  assert.deepEqual(
    [...tally.remarks.keys()],
    ['Names in the archive point outside of it: those entries are left alone.'],
  );
});

test('[CE10] files that a person gave along to ChatGPT are there, or named where the archive does not have them; pictures stand there once', async () => {
  const file = (id: string, name: string) => ({ id, name, mime_type: 'application/octet-stream', size: 5 });
  const attachments = [file('file-AbC1', 'photo.png'), file('file-Pdf1', 'paper.pdf'), file('file-Csv1', 'data.csv')];
  const message = {
    author: { role: 'user' },
    content: {
      content_type: 'multimodal_text',
      parts: [{ content_type: 'image_asset_pointer', asset_pointer: 'file-service://file-AbC1' }, ''],
    },
    metadata: { attachments: [...attachments, null] },
  };
  const document = [{ conversation_id: 'c', mapping: { u: { parent: null, children: [], message } } }];
  const pdf = Buffer.from('%PDF-1.7');
  const { items } = await read(
    fileOf(
      zipOf([
        { name: 'conversations.json', bytes: Buffer.from(JSON.stringify(document)) },
        { name: 'file-AbC1-photo.png', bytes: png },
        { name: 'file-Pdf1-paper.pdf', bytes: pdf },
      ]),
    ),
  );
  const forest = new ItemForest();
  forest.apply(items);
  const [, ...given] = [...forest.nodes.values()].flatMap(({ blocks }) => blocks.map(({ block }) => block));
  assert.deepEqual(given, [
    {
      type: 'image',
      media_type: 'application/pdf',
      url: `data:application/pdf;base64,${pdf.toString('base64')}`,
      filename: 'paper.pdf',
    },
    { type: 'raw', source: 'chatgpt-file', value: file('file-Csv1', 'data.csv') },
  ]);
});

test('[CE4] archives that are made to do harm, damaged or closed by a password end in an error, and nothing is given out', async () => {
  const bytes = Buffer.from(JSON.stringify([conversation('one')]));
  const fails = async (archive: Uint8Array, code: string): Promise<void> => {
    const batches: unknown[] = [];
    await assert.rejects(
      async () => {
        for await (const batch of readChats(fileOf(archive), 'chatgpt', new Tally())) batches.push(batch);
      },
      { name: 'ChatExportError', code: `chat-export-${code}` },
    );
    assert.deepEqual(batches, []);
  };
  const good = { name: 'conversations.json', bytes };
  await fails(zipOf([good, { name: 'conversations-2.json', bytes: Buffer.alloc(30_000_000, ' ') }]), 'zip-bomb');
  await fails(zipOf([{ ...good, said: 3 }]), 'zip-broken');
  await fails(zipOf([{ ...good, flags: 1 }]), 'zip-encrypted');
  await fails(zipOf([good]).subarray(0, -30), 'zip-broken');
  const damaged = zipOf([good]);
  damaged.fill(0xff, 60, 80);
  await fails(damaged, 'zip-broken');
  const overlapping = zipOf([good, { ...good, name: 'conversations-b.json' }]);
  const second = overlapping.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  overlapping.writeUInt32LE(0, second + 42);
  await fails(overlapping, 'zip-bomb');
  const crowded = zipOf([good]);
  crowded.writeUInt16LE(0xfffe, crowded.length - 12);
  await fails(crowded, 'zip-broken');
  // The directory of a long archive, beyond any file.
  const end = zipOf([good]);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50);
  locator.writeBigUInt64LE(2n ** 63n, 8);
  const far = Buffer.concat([end.subarray(0, -22), locator, end.subarray(-22)]);
  far.writeUInt16LE(0xffff, far.length - 12);
  await fails(far, 'zip-broken');
});

test('[CE2] nothing of a document is given out if its end is missing, or something in it is not JSON', async () => {
  const text = JSON.stringify([conversation('one'), conversation('two')]);
  for (const [broken, code] of [
    [text.slice(0, -40), 'cut-off'],
    [text.replace('"two"', 'two'), 'broken'],
    [`${text.slice(0, -1)},${'['.repeat(30_000)}`, 'too-deep'],
  ] as const) {
    const batches: unknown[] = [];
    await assert.rejects(
      async () => {
        for await (const batch of readChats(fileOf(broken), 'chatgpt', new Tally())) batches.push(batch);
      },
      { code: `chat-export-${code}` },
    );
    assert.deepEqual(batches, []);
  }
});

test('[CE2] an export whose first conversation is nested too deep is known by its beginning, and says what to do', async (context) => {
  const path = join(temporaryDirectory(context), 'export.json');
  const deep = '['.repeat(30_000);
  for (const [source, beginning] of [
    ['chatgpt', '[{"title":"t","mapping":'],
    ['claude-ai', '[{"uuid":"u","chat_messages":'],
    ['open-webui', '[{"id":"i","chat":{"title":"t","history":'],
    ['librechat', '{"conversationId":"c","messages":'],
    ['lobe', '{"exportType":"sessions","state":{"messages":'],
    ['openai-messages', '{"messages":[{"role":'],
  ] as const) {
    writeFileSync(path, `${beginning}${deep}`);
    const found: string[] = [];
    for (const format of chatFormats) {
      if (format.form === 'lines' || !(await format.recognizes(path, beginning))) continue;
      found.push(format.source);
      const file = { path };
      const reading = format.read({ file, tally: new Tally() })[Symbol.asyncIterator]();
      await assert.rejects(() => reading.next(), /nested deeper than 20000 levels\. Nothing was taken in\. /u);
    }
    assert.deepEqual(found, [source]);
  }
});

test('[CE14] a tree of LibreChat that is nested 5,000 messages deep is read', async () => {
  const nested = Array.from({ length: 5000 }, (_, index) => `{"messageId":"m${index}","text":"words","children":[`);
  const text = `{"conversationId":"c","title":"t","messages":[${nested.join('')}${']}'.repeat(5000)}]}`;
  const { items } = await read(fileOf(text));
  assert.equal(items.filter(({ type }) => type === 'node').length, 5000);
});

test('[CE5] `__proto__`, circles and messages below nothing do no harm', async () => {
  const text = `[{"id":"c","title":"t","__proto__":{"polluted":1},"mapping":{
    "__proto__":{"parent":"b","children":[],"message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["p"]}}},
    "a":{"parent":"b","message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["a"]}}},
    "b":{"parent":"a","message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["b"]}}},
    "d":{"parent":"gone","message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["d"]}}}}}]`;
  const { items } = await read(fileOf(text));
  const forest = new ItemForest();
  forest.apply(items);
  assert.deepEqual(
    [...forest.nodes.values()].map(({ id, parent }) => [id, parent]),
    [
      ['d', undefined],
      ['__proto__', undefined],
      ['a', undefined],
      ['b', 'a'],
    ],
  );
  assert.equal(Reflect.get({}, 'polluted'), undefined);
});

const corpus = findCorpus('chat-exports');

test(
  '[CE6] every export of the corpus is read: nothing breaks, nothing is unaccounted for, twice the same',
  {
    skip: corpus.found ? false : corpus.reason,
  },
  async (context) => {
    if (!corpus.found) return;
    const known = new Map([
      ...['chatgpt', 'claude-ai', 'open-webui', 'librechat'].map((name) => [name, name] as const),
      ['lobe-export', 'lobe'],
    ]);
    let [files, nodes, typed, all] = [0, 0, 0, 0];
    const folders = readdirSync(corpus.directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const { name: folder } of folders) {
      for (const name of readdirSync(join(corpus.directory, folder), { recursive: true, encoding: 'utf8' })) {
        if (!name.endsWith('.json')) continue;
        const file = fileOf(readFileSync(join(corpus.directory, folder, name)));
        const product = await recognizeChats(file).catch((error: unknown) => {
          assert.ok(Reflect.get(Object(error), 'name') === 'ChatExportError', String(error));
          return undefined;
        });
        if (!known.has(folder)) {
          assert.equal(product, undefined, `${folder}/${name} is taken for ${product}`);
          continue;
        }
        if (product === undefined) {
          assert.match(name, /malformed|broken|empty/, `${folder}/${name} is not recognized`);
          continue;
        }
        assert.equal(product, known.get(folder), name);
        const first = await read(file);
        const { counts } = first.tally;
        assert.equal(counts.read, counts.used + counts.raw + counts.reported);
        const forest = new ItemForest();
        forest.apply(first.items);
        forest.apply((await read(file)).items);
        files += 1;
        for (const node of forest.nodes.values()) {
          nodes += 1;
          for (const { block } of node.blocks) {
            assert.ok(messageBlock.safeParse(block).success, JSON.stringify(block));
            const size = JSON.stringify(block).length;
            all += size;
            if (block.type !== 'raw') typed += size;
          }
        }
      }
    }
    context.diagnostic(
      `${files} files, ${nodes} messages, ${((100 * typed) / all).toFixed(2)} % of bytes in typed blocks`,
    );
    assert.ok(files > 5 && typed / all > 0.98);
  },
);
