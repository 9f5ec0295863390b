import type { Request, RootState } from '@loom/kernel';
import { shorten } from '../chat/cards.ts';
import { showControls } from '../chat/column.ts';
import type { Call } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { LoomError } from '../failure.ts';
import { titleOf } from '../forest-view/node-line.ts';
import type { Loom } from '../runtime/open-loom.ts';
import { withPresentData } from '../runtime/present-data.ts';
import { orFail } from '../words/refusal-error.ts';
import { tellEdit } from './edit-report.ts';
import { findText } from './text-place.ts';
import { answerOrFail } from '../words/refusal-error.ts';
import { textTools } from './text-tools.ts';
import { describeOps } from './undo-report.ts';

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
  const flip = (request: Request) => textTools(loom)[which](request, { block_id: place.id });
  let answer = await flip(loom.request());
  // What the person has typed into the file of a text is theirs too.
  const isNone = 'refusal' in answer && answer.refusal.reason === 'nothing-to-undo';
  if (isNone) answer = await flip({ ...loom.request(), agent: filesystemAgent });
  await tellEdit(loom, place, answerOrFail(answer, { text: place }).version, call, {
    did: which === 'undo' ? 'Took back your last edit of' : 'Did again your last edit of',
  });
}

async function flipChange(which: 'undo' | 'redo', loom: Loom, { isJson, terminal }: Call): Promise<void> {
  const { forest } = loom.engine;
  const root = await lastChanged(loom);
  const state = await loom.open(root);
  const title = shorten(showControls(titleOf(state)), 60);
  const { agent } = loom.request();
  const record = which === 'undo' ? lastOwn(state, agent) : state.history.lastUndone(agent);
  const effects = describeOps(state, record?.inverse ?? []);
  const request = loom.request();
  const outcome = await (which === 'undo' ? forest.undo(request, root, record?.seq) : forest.redo(request, root));
  const { undone } = orFail(outcome, { conversation: { root, title } });
  if (isJson) terminal.out(`${JSON.stringify({ ok: true, root, undone, effects })}\n`);
  else {
    const done = which === 'undo' ? 'Undone' : 'Done again';
    terminal.out(`${done} in ${root} (${title}): ${effects.join(', ') || `change ${undone}`}.\n`);
  }
}

/** The person's last change that is in effect, be it one that was made in a file. */
function lastOwn({ history }: RootState, agent: string): UndoRecord {
  const [typed, filed] = [history.lastDone(agent), history.lastDone(filesystemAgent)];
  return filed !== undefined && filed.seq > (typed?.seq ?? 0) ? filed : typed;
}

/** The agent of edits of node files by hand. */
const filesystemAgent = 'filesystem';

type UndoRecord = ReturnType<RootState['history']['lastDone']>;

/** The conversation where something happened last. One that was deleted last is one of them: that can be undone. */
async function lastChanged({ engine: { forest } }: Loom): Promise<string> {
  let last: { id: string; updated: number } | undefined;
  for (const root of [...(await forest.listRoots()), ...(await forest.listRoots({ deleted: true }))]) {
    const isLater = last === undefined || root.updated > last.updated;
    // Of two that were changed in the same moment it is the one that was begun later.
    const isBegunLater = root.updated === last?.updated && root.id > last.id;
    if (root.damaged === undefined && (isLater || isBegunLater)) last = root;
  }
  if (last !== undefined) return last.id;
  throw new LoomError('nothing-to-undo', 'there is no conversation yet', { advice: 'Start one with loom chat.' });
}
