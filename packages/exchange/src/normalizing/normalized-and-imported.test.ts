import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { test } from 'node:test';
import { isPlainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import type { JobHandle } from '@loom/kernel';
import { capturesOf } from '../foreign/testing/material.ts';
import { formats } from '../importing/formats/formats.ts';
import { runImport } from '../importing/import-run.ts';
import { Origins } from '../importing/origins.ts';
import { createImportWorld } from '../importing/testing/imports.ts';
import type { ImportWorld } from '../importing/testing/imports.ts';
import type { NormalizedKind } from './kinds.ts';
import { normalize } from './normalize.ts';

const job: JobHandle = { signal: new AbortController().signal, report: () => {} };

async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of createReadStream(path)) if (chunk instanceof Uint8Array) yield chunk;
}

/** The content of each message, by its name in its source. */
type Said = Map<string, unknown[]>;

async function normalized(kind: NormalizedKind, path: string): Promise<Said> {
  const said: Said = new Map();
  for await (const message of normalize(kind, bytesOf(path))) {
    if (!isPlainObject(message) || isMadeUp(message)) continue;
    const { id, content, type, keys } = message;
    if (type === 'retracted' && Array.isArray(keys)) for (const key of keys) said.delete(String(key));
    if (typeof id !== 'string' || !Array.isArray(content)) continue;
    const blocks = content.map((block: unknown) => {
      const { block_id: _block, id: given, metadata, ...rest } = isPlainObject(block) ? block : {};
      const { origin: _origin, ...more } = isPlainObject(metadata) ? metadata : {};
      const call = rest['type'] === 'tool-use' ? { id: given } : {};
      return { ...rest, ...call, ...(Object.keys(more).length === 0 ? {} : { metadata: more }) };
    });
    said.set(id, [...(said.get(id) ?? []), ...blocks]);
  }
  return said;
}

/** Returns true for a made-up result of a call that has none in its source. */
function isMadeUp({ details }: PlainObject): boolean {
  return isPlainObject(details) && details['not_in_source'] === true;
}

async function imported(path: string): Promise<Said> {
  const world = createImportWorld();
  const { forest, store, newId } = world;
  const blobs = { put: (bytes: Uint8Array): Promise<string> => store.putBlob(bytes) };
  await runImport({ forest, blobs, newId, origins: new Origins(), formats }, { paths: [path] }, job);
  const said: Said = new Map();
  for (const state of await world.states()) {
    for (const { origin, blocks, deleted } of state.nodes.values()) {
      if (deleted === true) continue;
      const own = blocks.filter(({ type }) => type !== 'conversation');
      said.set(origin?.id ?? '', await Promise.all(own.map((block) => withoutBlobs(block, world))));
    }
  }
  return said;
}

/** Returns a block as it was before its images and long payloads became blobs. */
async function withoutBlobs(block: MessageBlock, { store }: ImportWorld): Promise<PlainObject> {
  const { block_id: _id, status: _status, version: _version, agent: _agent, created_at: _at, ...rest } = block;
  if (rest.type === 'image' && rest.blob !== undefined) {
    const { blob, ...image } = rest;
    const data = Buffer.from((await store.getBlob(blob)) ?? []).toString('base64');
    return { ...image, url: `data:${rest.media_type};base64,${data}` };
  }
  const provider: PlainObject = { ...rest.provider };
  for (const [name, payload] of Object.entries(provider)) {
    const blob = isPlainObject(payload) ? payload['blob'] : undefined;
    if (typeof blob !== 'string') continue;
    provider[name] = JSON.parse(Buffer.from((await store.getBlob(blob)) ?? []).toString());
  }
  return rest.provider === undefined ? rest : { ...rest, provider };
}

for (const [kind, pattern] of [
  ['claude-code', 'claude/*/transcript.jsonl'],
  ['codex', 'codex/*/transcript.jsonl'],
] as const) {
  const captures = capturesOf(pattern);
  test(
    `[NZ9] ${kind}: what is normalized and what is imported say the same, but for what imports keep as blobs`,
    captures,
    async () => {
      assert.ok(captures.files.length > 10);
      for (const path of captures.files) {
        const [here, there] = [await normalized(kind, path), await imported(path)];
        assert.deepEqual([...here.keys()].toSorted(), [...there.keys()].toSorted(), path);
        for (const [id, blocks] of here) assert.deepEqual(blocks, there.get(id), `${path} ${id}`);
      }
    },
  );
}
