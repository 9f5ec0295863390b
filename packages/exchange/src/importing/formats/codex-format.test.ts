import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JobHandle } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { runImport } from '../import-run.ts';
import { Origins } from '../origins.ts';
import { createImportWorld } from '../testing/imports.ts';
import { codexFormat } from './codex-format.ts';

const job: JobHandle = { signal: new AbortController().signal, report: () => {} };
const first = '11111111-1111-4111-8111-111111111111';
const second = '22222222-2222-4222-8222-222222222222';

const meta = (id: string, more: object = {}): object => ({ type: 'session_meta', payload: { id, cwd: '/x', ...more } });
const said = (role: string, text: string): object => ({
  type: 'response_item',
  payload: {
    type: 'message',
    role,
    content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
  },
});

const shared = [meta(first), said('user', 'One'), said('assistant', 'First answer')];
const original = [...shared, said('user', 'Two'), said('assistant', 'Second answer')];
const fork = [meta(second, { forked_from_id: first }), ...shared, said('user', 'Other'), said('assistant', 'Third')];

test('[CD14] a fork that has copied the lines of another thread goes on behind them, in whichever order they come', async (context) => {
  for (const order of ['fork last', 'fork first', 'fork alone'] as const) {
    const folder = temporaryDirectory(context);
    const write = (thread: string, lines: readonly object[], day: number): string => {
      const path = join(folder, `rollout-2025-09-0${day}T00-00-00-${thread}.jsonl`);
      const timed = lines.map((line, index) => ({ timestamp: `2025-09-0${day}T00:00:0${index}.000Z`, ...line }));
      writeFileSync(path, timed.map((line) => `${JSON.stringify(line)}\n`).join(''));
      return path;
    };
    const copy = write(second, fork, 2);
    const paths = order === 'fork alone' ? [] : [write(first, original, 1)];
    if (order === 'fork last') paths.push(copy);
    else paths.unshift(copy);
    const world = createImportWorld();
    const { forest, store, newId } = world;
    const blobs = { put: (bytes: Uint8Array): Promise<string> => store.putBlob(bytes) };
    const setup = { forest, blobs, newId, origins: new Origins(), formats: [codexFormat] };
    const report = await runImport(setup, { paths }, job);
    assert.equal(report.lines_read, report.lines_used);
    const [state, other] = await world.states();
    assert.ok(state !== undefined && other === undefined, order);
    const branch = (parent: string): unknown[] =>
      (state.children.get(parent) ?? []).map((id) => {
        const words = state.nodes.get(id)?.blocks.map((block) => (block.type === 'text' ? block.text : block.type));
        return [words?.join(), ...branch(id)];
      });
    const own = ['Other', ['Third']];
    const others = order === 'fork alone' ? [] : [['Two', ['Second answer']]];
    const tree = branch(state.id);
    assert.deepEqual(tree, [['One', ['First answer', ...others, own]]], order);
    assert.equal((await runImport(setup, { paths }, job)).nodes_added, 0);
  }
});
