import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '@loom/blocks';
import { createWorld } from '../../testing/world.ts';
import type { RootState } from '../../state/root-state.ts';
import { OlderOpenings } from './older-openings.ts';
import { isWrongHead, readHead, summarizeRoot } from '../root-head.ts';
import type { RootSummary } from '../root-head.ts';

const context = '<environment_context>\n<cwd>/home/user</cwd>\n</environment_context>';

const said = (words: string): Message => ({ role: 'user', content: [{ type: 'text', text: words }] });

const requested = [said(context), said('<system-reminder>Be brief.</system-reminder>\n\nFix the tides')];

/** A conversation that came from another program: by default its context, then what a person asked behind a reminder. */
async function importedRoot(messages: Message[] = requested): Promise<RootState> {
  const world = await createWorld();
  const { engine, root, ids } = world;
  const origin = { source: 'codex', id: 'one' };
  const added = await engine.forest.append({ agent: 'importer', id: ids.next() }, root, { parent: root, messages });
  assert.ok(added.ok);
  const state = await world.state();
  for (const node of state.nodes.values()) Object.assign(node, { origin });
  return state;
}

test('[LM38] a list calls a conversation from another program by the first words of a person', async () => {
  const state = await importedRoot();
  assert.equal(summarizeRoot(state).opening, 'Fix the tides');
});

test('[IM34] neither an answer to a command of a program nor its failure names a conversation in which a person speaks', async () => {
  const failed: Message = { role: 'assistant', content: [{ type: 'error', code: 'aborted', message: 'Aborted' }] };
  const answered: Message = { role: 'assistant', content: [{ type: 'text', text: 'The mode is plan' }] };
  const opening = async (...messages: Message[]): Promise<string> =>
    summarizeRoot(await importedRoot(messages)).opening;
  assert.equal(await opening(said('/mode'), failed, answered, said('Fix the tides')), 'Fix the tides');
  assert.equal(await opening(said('/mode'), failed, answered), 'The mode is plan');
  assert.equal(await opening(said('/mode'), failed), '/mode');
  assert.equal(await opening(answered, said('Fix the tides')), 'The mode is plan');

  // Earlier versions wrote such heads.
  const state = await importedRoot([said('/mode'), answered, said('Fix the tides')]);
  const { opening: _opening, id: _id, ...facts } = summarizeRoot(state);
  const head = (words: string) => ({
    time: state.updated,
    text: JSON.stringify({ format: 1, ...facts, opening: words }),
  });
  assert.equal(isWrongHead(head('The mode is plan'), state), false);
  assert.equal(isWrongHead(head('Fix the seas'), state), true);
});

test('[LM38] the first words that an earlier version wrote into a head are found again, once per process', async () => {
  const state = await importedRoot();
  const { opening: _opening, id, ...facts } = summarizeRoot(state);
  const head = { time: state.updated, text: JSON.stringify({ format: 1, ...facts, opening: context }) };
  assert.equal(isWrongHead(head, state), false);
  const old = readHead(id, head) ?? assert.fail();
  const openings = new OlderOpenings();
  let reads = 0;
  const read = async (): Promise<RootSummary> => {
    reads += 1;
    return summarizeRoot(state);
  };
  assert.equal((await openings.improve(old, read)).opening, 'Fix the tides');
  assert.equal((await openings.improve(old, read)).opening, 'Fix the tides');
  assert.equal(reads, 1);
  const titled = { ...old, title: 'Tides' };
  assert.equal(await openings.improve(titled, read), titled);
});
