import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { LoomEngine } from '@loom/kernel';
import type { Provider, ProviderCall, ProviderEvent, ProviderRequest } from '@loom/kernel';
import { VirtualClock } from '@loom/kernel/testing';
import { createMemoryStore } from '@loom/stores/memory';
import { createTranscriptReader } from '../../claude-code/index.ts';
import { answer, call, result, said, text } from '../../claude-code/testing/transcript.ts';
import { Importer } from '../importer.ts';
import { Origins } from '../origins.ts';

const source = 'claude-code';
const named = (message: string | undefined, id: string, keys: string[]): ProviderEvent => ({
  type: 'named',
  ...(message === undefined ? {} : { message }),
  origin: { source, id },
  keys,
});
const words = (message: string, content: string): ProviderEvent => ({
  type: 'block',
  message,
  role: 'assistant',
  block: { type: 'text', text: content },
});

/** An agent whose lines get their names only after their text has streamed, and that asks the user about its call. */
const agent: Provider = {
  id: 'agent',
  runsTools: true,
  async *stream(_request: ProviderRequest, asked: ProviderCall): AsyncGenerator<ProviderEvent> {
    yield { type: 'call-start' };
    yield { type: 'session', source, id: 's1' };
    yield named(undefined, 'u1', ['u1']);
    yield words('a', 'Looking');
    yield {
      type: 'block',
      message: 'a',
      role: 'assistant',
      block: { type: 'tool-use', id: 'c1', name: 'Bash', parameters: { command: 'ls' }, executed: 'provider' },
    };
    await asked.decide('c1', { kind: 'ask', preview: [] });
    yield named('a', 'u2', ['u2', 'u3']);
    const found = { type: 'text' as const, text: 'found' };
    yield { type: 'block', message: 'r', role: 'tool', tool_call_id: 'c1', block: found };
    yield named('r', 'u4', ['u4', 'u4/view-0']);
    yield words('b', 'Done');
    yield named('b', 'u5', ['u5']);
    yield { type: 'call-end', reason: 'stop' };
  },
};

test('[IM46] the transcript of a run that Loom has heard adds nothing, though its names came late', async () => {
  const store = createMemoryStore();
  let last = 0;
  const newId = (): string => String((last += 1)).padStart(8, '0');
  const hash = { hex: (value: string): string => createHash('sha256').update(value).digest('hex') };
  const engine = new LoomEngine({
    store,
    clock: new VirtualClock(),
    ids: { next: newId },
    hash,
    providers: [agent],
    tools: [],
    holder: 'here',
  });
  const { forest } = engine;
  const request = (): { agent: string; id: string } => ({ agent: 'person', id: newId() });
  const created = await forest.createRoot(request(), {});
  assert.ok(created.ok);
  const { root } = created.value;
  const message = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Look.' }] as const };
  const asked = await forest.append(request(), root, {
    parent: root,
    messages: [{ ...message, content: [...message.content] }],
  });
  assert.ok(asked.ok);
  const started = await engine.turns.generate(request(), root, {
    node: asked.value.nodes[0] ?? '',
    provider: 'agent',
    model: 'm',
  });
  assert.ok(started.ok);
  const log = forest.log(root);
  const waiting = async (): Promise<string | undefined> =>
    [...(await log.state()).nodes.values()].find(({ ask }) => ask !== undefined)?.id;
  let node = await waiting();
  while (node === undefined) {
    assert.ok((await log.state()).liveTurns.size > 0, JSON.stringify([...(await log.state()).nodes.values()]));
    await new Promise((resolve) => setImmediate(resolve));
    node = await waiting();
  }
  const ended = engine.turns.wait(started.value.turns[0] ?? '');
  const approval = { node, decision: 'approved' as const, arguments: '{"command":"ls"}' };
  assert.ok((await engine.turns.decide({ ...request(), type: 'person' }, root, approval)).ok);
  assert.equal(await ended, 'done');

  const state = await log.state();
  const origins = state.pathTo(state.recentLeaves(1)[0]?.id ?? '').map(({ origin }) => origin?.id);
  assert.deepEqual(origins, [undefined, 'u2', 'u4', 'u5'], 'a person’s own words did not come from the agent');

  const reader = createTranscriptReader({ session: 's1' });
  const lines = [
    said('u1', null, 'Look.'),
    answer('u2', 'u1', 'msg_1', text('Looking')),
    answer('u3', 'u2', 'msg_1', call('c1')),
    result('u4', 'u3', 'c1', 'found'),
    answer('u5', 'u4', 'msg_2', text('Done')),
  ];
  for (const line of lines) reader.push(JSON.stringify(line));
  reader.end();
  const blobs = { put: (bytes: Uint8Array): Promise<string> => store.putBlob(bytes) };
  const importer = new Importer({ forest, blobs, newId, source, origins: await new Origins().refresh(forest) });
  await importer.take(reader.take());
  assert.deepEqual(importer.counts, { roots_added: 0, nodes_added: 0, blocks_added: 0 });
  await engine.close();
});
