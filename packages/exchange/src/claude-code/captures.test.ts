import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPlainObject, messageBlock } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import { runs } from '@loom/blocks/testing/corpus';
import { LineSplitter } from '../foreign/line-splitter.ts';
import type { LineReader } from '../foreign/foreign.ts';
import { ItemForest } from '../foreign/testing/item-forest.ts';
import type { ForestNode } from '../foreign/testing/item-forest.ts';
import { createStreamReader } from './stream/stream-reader.ts';
import { noCaptures, readCaptures } from './testing/captures.ts';
import type { Capture } from './testing/captures.ts';
import { createTranscriptReader } from './transcript-reader.ts';

const captures = readCaptures();

function readBytes(reader: LineReader, pieces: Iterable<Uint8Array>): ItemForest {
  const forest = new ItemForest();
  const splitter = new LineSplitter({
    line: (text) => reader.push(text),
    tooLong: (bytes) => assert.fail(`${bytes} bytes`),
  });
  for (const piece of pieces) splitter.push(piece);
  splitter.end();
  reader.end();
  forest.apply(reader.take());
  return forest;
}

function readTranscripts({ transcripts }: Capture): ForestNode[] {
  return transcripts.flatMap(({ text, facts }) => [
    ...readBytes(createTranscriptReader(facts), [new TextEncoder().encode(text)]).nodes.values(),
  ]);
}

test(
  '[CC20] for everything that both have, the stream and the transcript give equal blocks in equal messages',
  { skip: noCaptures },
  () => {
    let shared = 0;
    let missing = 0;
    for (const capture of captures) {
      const stored = new Map(
        readTranscripts(capture).flatMap((node) => node.blocks.map(({ key, block }) => [key, { node, block }])),
      );
      if (capture.transcripts.length === 0) continue;
      for (const node of readBytes(createStreamReader(), [capture.stdout]).nodes.values()) {
        for (const { key, block } of node.blocks) {
          assert.deepEqual(messageBlock.parse(block), block, `${capture.name} ${key}`);
          const other = stored.get(key);
          if (other === undefined) {
            // The output of the commands /context and /cost is not in the transcript.
            assert.deepEqual(node.details, { synthetic: true }, `${capture.name} ${key}`);
            missing += 1;
            continue;
          }
          shared += 1;
          assert.deepEqual(block, other.block, `${capture.name} ${key}`);
          const traits = ({ role, tool, is_error, tool_call_id, context_start, details }: ForestNode) =>
            JSON.stringify({ role, tool, is_error, tool_call_id, context_start, details });
          assert.equal(traits(node), traits(other.node), `${capture.name} ${key}`);
        }
      }
    }
    assert.ok(shared > 300 && missing <= 4, `${shared} blocks in both, ${missing} in the stream alone`);
  },
);

/** Returns the wire content of each block, assembled from the events. */
function wireOf({ stdout }: Capture): { id: string; type: string; text: string }[] {
  const blocks = new Map<string, { id: string; type: string; text: string }>();
  for (const line of new TextDecoder().decode(stdout).split('\n')) {
    const read: unknown = line === '' ? undefined : JSON.parse(line);
    if (!isPlainObject(read) || read.type !== 'stream_event' || !isPlainObject(read.event)) continue;
    const { event } = read;
    const name = `${String(read.api_message_id)} ${String(event.index)}`;
    if (event.type === 'content_block_start' && isPlainObject(event.content_block)) {
      blocks.set(name, { id: String(event.content_block.id), type: String(event.content_block.type), text: '' });
    }
    const block = blocks.get(name);
    if (event.type !== 'content_block_delta' || !isPlainObject(event.delta) || block === undefined) continue;
    const { text, thinking, partial_json: json } = event.delta;
    for (const part of [text, thinking, json]) if (typeof part === 'string') block.text += part;
  }
  return [...blocks.values()];
}

test('[CC20] every text, thought and input is what the wire carried, byte for byte', { skip: noCaptures }, () => {
  let compared = 0;
  for (const capture of captures) {
    const wire = wireOf(capture);
    if (wire.length === 0) continue;
    const written = [...readBytes(createStreamReader(), [capture.stdout]).nodes.values()]
      .filter(({ role, details }) => role === 'assistant' && details === undefined)
      .flatMap(({ blocks }) => blocks.map(({ block }) => block));
    const texts = (type: MessageBlock['type']) =>
      written.flatMap((block) => (block.type === type && 'text' in block ? [block.text] : []));
    const sent = (type: string) =>
      wire
        .filter((block) => block.type === type && block.text !== '')
        .map(({ text }) => text.toWellFormed().replaceAll('\0', '\uFFFD'));
    // Sub-agents are not streamed: their messages may stand between.
    assert.deepEqual(
      texts('text').filter((text) => sent('text').includes(text)),
      sent('text'),
      capture.name,
    );
    assert.deepEqual(
      texts('thinking').filter((text) => sent('thinking').includes(text)),
      sent('thinking'),
      capture.name,
    );
    const calls = new Map(written.flatMap((block) => (block.type === 'tool-use' ? [[block.id, block]] : [])));
    for (const { id, text } of wire) {
      const call = calls.get(id);
      if (call === undefined || text === '') continue;
      // The command adds defaults to the arguments it could parse.
      const { replace_all: _default, ...parameters } = call.parameters;
      assert.deepEqual(
        call.arguments ?? parameters,
        call.arguments === undefined ? JSON.parse(text) : text,
        `${capture.name} ${id}`,
      );
      compared += 1;
    }
    compared += sent('text').length + sent('thinking').length;
  }
  assert.ok(compared > 40, `only ${compared} texts`);
});

test('[CC21] every call has one result, or it is told that it has none', { skip: noCaptures }, () => {
  for (const capture of captures) {
    const readers = [
      { reader: createStreamReader(), bytes: [capture.stdout] },
      ...capture.transcripts.map(({ text, facts }) => ({
        reader: createTranscriptReader(facts),
        bytes: [new TextEncoder().encode(text)],
      })),
    ];
    for (const { reader, bytes } of readers) {
      const nodes = [...readBytes(reader, bytes).nodes.values()];
      const calls = nodes.flatMap(({ blocks }) =>
        blocks.flatMap(({ block }) => (block.type === 'tool-use' ? [block.id] : [])),
      );
      const results = nodes.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]));
      const isTold = [...reader.tally.remarks.keys()].some((remark) => remark.includes('no result'));
      if (!isTold) assert.deepEqual(results.toSorted(), calls.toSorted(), capture.name);
      assert.equal(
        new Set(nodes.flatMap(({ blocks }) => blocks.map(({ key }) => key))).size,
        nodes.flatMap(({ blocks }) => blocks).length,
      );
    }
  }
});

function linesOf(pieces: Iterable<Uint8Array>): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter({
    line: (text) => void lines.push(text),
    tooLong: (bytes) => assert.fail(`${bytes} bytes`),
  });
  for (const piece of pieces) splitter.push(piece);
  splitter.end();
  return lines;
}

test(
  '[CC22] a stream gives the same wherever its bytes are cut, and with carriage returns',
  { skip: noCaptures },
  () => {
    for (const { stdout, name } of captures) {
      const whole = JSON.stringify(readBytes(createStreamReader(), [stdout]).value);
      const lines = linesOf([stdout]).join('\n');
      const places = stdout.length <= 65_536 ? stdout.length : 500;
      const tried = Math.min(places, runs(40, places));
      for (let count = 1; count <= tried; count += 1) {
        const at = Math.floor((count * stdout.length) / (tried + 1));
        const pieces = [stdout.subarray(0, at), stdout.subarray(at)];
        assert.equal(linesOf(pieces).join('\n'), lines, `${name} cut at ${at}`);
        // A reader sees only lines: for most captures it is enough that it gets the same ones.
        if (count % Math.ceil(tried / 5) !== 0) continue;
        assert.equal(JSON.stringify(readBytes(createStreamReader(), pieces).value), whole, `${name} cut at ${at}`);
      }
      const returned = Buffer.from(Buffer.from(stdout).toString('latin1').replaceAll('\n', '\r\n'), 'latin1');
      assert.equal(
        JSON.stringify(readBytes(createStreamReader(), [returned]).value),
        whole,
        `${name} with carriage returns`,
      );
    }
  },
);
