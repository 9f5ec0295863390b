import type { RootState } from '@loom/kernel';
import { shorten } from '../chat/drawing/cards.ts';
import { showControls } from '../chat/drawing/column.ts';
import type { Call } from '../command-line/command.ts';
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts';
import { LoomError } from '../command-line/failure.ts';
import { titleOf } from '../forest-view/node-line.ts';
import { lastChangedFirst, listConversations } from '../runtime/conversations.ts';
import type { Loom } from '../runtime/loom.ts';
import { withPresentData } from '../runtime/present-data.ts';
import { orFail } from '../words/refusal-error.ts';
import { tellEdit } from './edit-report.ts';
import { findText } from './text-place.ts';
import { describeOps } from './undo-report.ts';
import { suggest } from '../command-line/suggested-command.ts';

/** Takes back a change of the person, or does it again: the last one in a text, or the last one of all. */
export function flipLast(which: 'undo' | 'redo', call: Call): Promise<ExitCode> {
  const [word] = call.words;
  return withPresentData({ dataDir: call.dataDir, store: call.store }, async (loom) => {
    await (word === undefined ? flipChange(which, loom, call) : flipEdit(which, word, loom, call));
    return EXIT.ok;
  });
}

async function flipEdit(which: 'undo' | 'redo', word: string, loom: Loom, call: Call): Promise<void> {
  const place = await findText(loom, word);
  const flip = (agent?: string) => loom.call(`block.${which}`, { block_id: place.id }, agent);
  let outcome = await flip();
  // Edits that the person has typed into the file of a text are theirs too.
  const isNone = !outcome.ok && outcome.refusal.reason === 'nothing-to-undo';
  if (isNone) outcome = await flip(filesystemAgent);
  await tellEdit(loom, place, orFail(outcome, { text: place }).version, call, {
    did: which === 'undo' ? 'Undid your last edit of' : 'Did again your last edit of',
  });
}

async function flipChange(which: 'undo' | 'redo', loom: Loom, { isJson, terminal }: Call): Promise<void> {
  const root = await lastChanged(loom);
  const state = await loom.open(root);
  const title = shorten(showControls(titleOf(state)), 60);
  const record = which === 'undo' ? lastOwn(state) : state.history.lastUndone('person');
  const effects = describeOps(state, record?.inverse ?? []);
  const change = record === undefined ? {} : { change: record.seq };
  const outcome = await (which === 'undo'
    ? loom.call('tree.undo', { root, ...change })
    : loom.call('tree.redo', { root }));
  const { undone } = orFail(outcome, { conversation: { root, title } });
  if (isJson) terminal.out(`${JSON.stringify({ ok: true, root, undone, effects })}\n`);
  else {
    const done = which === 'undo' ? 'Undone' : 'Done again';
    terminal.out(`${done} in ${root} (${title}): ${effects.join(', ') || `change ${undone}`}.\n`);
  }
}

/** Returns the person's last change that is in effect, including one made in a file. */
function lastOwn({ history }: RootState): UndoRecord {
  const [typed, filed] = [history.lastDone('person'), history.lastDone(filesystemAgent)];
  return filed !== undefined && filed.seq > (typed?.seq ?? 0) ? filed : typed;
}

/** The agent of edits of node files by hand. */
const filesystemAgent = 'filesystem';

type UndoRecord = ReturnType<RootState['history']['lastDone']>;

/** The conversation where something happened last. One that was deleted last is one of them: that can be undone. */
async function lastChanged(loom: Loom): Promise<string> {
  const lists = [await listConversations(loom), await listConversations(loom, { deleted: true })];
  const [last] = lists
    .flatMap((list) => list.find(({ damaged }) => damaged === undefined) ?? [])
    .sort(lastChangedFirst);
  if (last !== undefined) return last.id;
  throw new LoomError('nothing-to-undo', 'there is no conversation yet', {
    advice: `Start one: ${suggest('chat')}`,
  });
}
