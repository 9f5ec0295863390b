import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { PlainObject } from '@loom/blocks';
import { createTranscriptReader } from '../../claude-code/index.ts';
import { answer, call, said, text } from '../../claude-code/testing/transcript.ts';
import { LoomLinesReader } from '../../chats/loom-lines-reader.ts';
import { claudeSession } from '../../exporting/claude-session.ts';
import { loomLinesExport } from '../../exporting/loom-lines.ts';
import { openSession, recordOrigins } from '../../exporting/session-names.ts';
import { exportSource } from '../../exporting/source.ts';
import { gathered } from '../../exporting/testing/sample-source.ts';
import { workedConversation } from '../../exporting/testing/worked-conversation.ts';
import type { Importer } from '../importer.ts';
import { createImportWorld } from '../testing/imports.ts';

test('[IM19] a session that Loom wrote and another program went on with grows the branch that it was, and no view is added to what Loom wrote', async () => {
  const world = createImportWorld();
  const own = new LoomLinesReader();
  for await (const line of loomLinesExport(workedConversation(), { node: 'root/said' })) own.push(line.trimEnd());
  await (await world.importer('loom')).take(own.take());
  const [state] = await world.states();
  assert.ok(state !== undefined);
  const leaf = state.recentLeaves(1)[0]?.id ?? '';
  const source = exportSource(state, { get: () => Promise.resolve(undefined) });
  const session = claudeSession(source, leaf, { directory: '/home/me' });
  const lines = (await gathered(session.lines())).trimEnd().split('\n');
  const request = { agent: 'person', id: 'export' };
  await recordOrigins(world.forest, request, state.id, session, 'claude-code');
  const last = session.origins.at(-1)?.keys.at(-1)?.key;
  const grown = {
    parentUuid: last,
    isSidechain: false,
    type: 'user',
    message: { role: 'user', content: 'Go on.' },
    uuid: '0b1c2d3e-0000-4000-8000-000000000009',
    timestamp: '2026-11-17T13:00:00.000Z',
    sessionId: session.id,
  };
  const reader = createTranscriptReader({ session: session.id });
  for (const line of [...lines, JSON.stringify(grown)]) reader.push(line);
  reader.end();
  const importer = await world.importer('claude-code');
  await importer.take(reader.take());
  assert.deepEqual(importer.counts, { roots_added: 0, nodes_added: 1, blocks_added: 1 });
  const [after, second] = await world.states();
  assert.equal(second, undefined);
  const added = after?.recentLeaves(1)[0];
  assert.deepEqual([added?.parent, added?.origin?.source], [leaf, 'claude-code']);
});

/** Reads lines of Claude Code into a world, exports its last branch for that program and imports it again. */
async function thereAndBack(
  lines: readonly PlainObject[],
): Promise<{ texts: string[]; counts: unknown; others: string[] }> {
  const world = createImportWorld();
  const take = async (all: readonly string[]): Promise<Importer> => {
    const reader = createTranscriptReader();
    for (const line of all) reader.push(line);
    reader.end();
    const importer = await world.importer('claude-code');
    await importer.take(reader.take());
    return importer;
  };
  await take(lines.map((line) => JSON.stringify(line)));
  const [state] = await world.states();
  assert.ok(state !== undefined);
  const source = exportSource(state, { get: () => Promise.resolve(undefined) });
  const end = state.recentLeaves(1)[0]?.id ?? '';
  const session = openSession(state, source, { format: 'claude-code', end, otherwise: '/home/me' });
  const written = (await gathered(session.lines())).trimEnd().split('\n');
  await recordOrigins(world.forest, { agent: 'person', id: 'export' }, state.id, session, 'claude-code');
  const { counts, others } = await take(written);
  return { texts: written, counts, others: [...others.keys()] };
}

test('[XP11] [IM19] where something stays out of a session, what is left keeps or gets names under which nothing else is known', async () => {
  const id = (number: number): string => `0b1c2d3e-0000-4000-8000-${String(number).padStart(12, '0')}`;
  const { texts, counts, others } = await thereAndBack([
    said(id(1), null, [text('  '), text('Look at both')]),
    answer(id(2), id(1), 'm1', text('')),
    answer(id(3), id(2), 'm1', { type: 'thinking', thinking: 'Unsigned' }),
    answer(id(4), id(3), 'm1', call('t1')),
    answer(id(5), id(4), 'm1', call('never-answered')),
    said(id(6), id(4), [
      { type: 'tool_result', tool_use_id: 't1', content: [text('\n'), text('one')] },
      text('And something else'),
    ]),
    answer(id(7), id(6), 'm2', text('Yes.')),
  ]);
  const uuids = texts.map((line) => z.looseObject({ uuid: z.string().optional() }).parse(JSON.parse(line)).uuid);
  // Complete messages keep their names: the call and the last answer.
  assert.deepEqual(
    [2, 3, 4, 5, 6, 7].filter((number) => uuids.includes(id(number))),
    [4, 7],
  );
  assert.deepEqual(counts, { roots_added: 0, nodes_added: 0, blocks_added: 0 });
  assert.deepEqual(others, []);
});
