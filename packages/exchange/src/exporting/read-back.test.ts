import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { MessageBlock } from '@loom/blocks';
import { runs } from '@loom/blocks/testing/corpus';
import { createTranscriptReader } from '../claude-code/index.ts';
import { createRolloutReader } from '../codex/index.ts';
import type { LineReader } from '../foreign/foreign.ts';
import { ItemForest } from '../foreign/testing/item-forest.ts';
import { claudeSession } from './claude-session.ts';
import { codexSession } from './codex-session.ts';
import type { NativeSession } from './native-session.ts';
import type { ExportSource } from './source.ts';
import { exportedLeaves } from './source.ts';
import { anySource } from './testing/arbitrary-source.ts';
import { gathered } from './testing/sample-source.ts';
import { workedConversation } from './testing/worked-conversation.ts';

const directory = '/home/me/project';

async function readBack(session: NativeSession, reader: LineReader): Promise<ItemForest> {
  const text = await gathered(session.lines());
  for (const line of text.split('\n').slice(0, -1)) reader.push(line);
  reader.end();
  assert.equal(reader.tally.counts.reported, 0, [...reader.tally.remarks.keys()].join());
  const forest = new ItemForest();
  forest.apply(reader.take());
  return forest;
}

/** Asserts that the file holds the messages and blocks that the writer reported. */
function assertNamed(session: NativeSession, forest: ItemForest): void {
  const read = [...forest.nodes.values()].map(({ id, blocks }) => ({
    id,
    keys: blocks.map(({ key }) => key).filter((key) => !key.includes('/view-')),
  }));
  const told = session.origins.map(({ origin, keys }) => ({ id: origin.id, keys: keys.map(({ key }) => key) }));
  assert.deepEqual(read, told);
}

const sessions = [
  { name: 'Claude Code', write: claudeSession, open: () => createTranscriptReader() },
  { name: 'Codex', write: codexSession, open: () => createRolloutReader() },
] as const;

for (const { name, write, open } of sessions) {
  test(`[XP18] what was written for ${name} is read again with the same ids, parents and texts`, async () => {
    const source = workedConversation();
    const session = write(source, 'root/thanks', { directory });
    const forest = await readBack(session, open());
    assertNamed(session, forest);
    const said = ({ type, ...rest }: MessageBlock): unknown =>
      'text' in rest ? rest.text : 'name' in rest ? [rest.name, rest.parameters] : type;
    assert.deepEqual(
      [...forest.nodes.values()].map(({ role, blocks }) => [
        role,
        ...blocks.filter(({ key }) => !key.includes('/view-')).map(({ block }) => said(block)),
      ]),
      [
        ['user', 'Read both files.'],
        ['assistant', 'I read them.', ['read_file', { path: 'a' }], ['read_file', { path: 'b' }]],
        ['tool', 'There is no b.'],
        ['tool', 'alpha'],
        ['assistant', 'It says alpha.'],
        ['user', 'Thanks.'],
      ],
    );
  });

  test(`[XP18] any branch that is written for ${name} is read again as the messages that were told of`, async () => {
    await fc.assert(
      fc.asyncProperty(anySource, async (source: ExportSource) => {
        for (const leaf of exportedLeaves(source, {})) {
          const session = write(source, leaf.id, { directory });
          assertNamed(session, await readBack(session, open()));
        }
      }),
      { numRuns: runs(40, 1500) },
    );
  });
}
