import { pathTo } from '@loom/kernel';
import { LoomError } from '../../command-line/failure.ts';
import type { Loom } from '../../runtime/loom.ts';
import { count } from '../../terminal/progress.ts';
import { orFail } from '../../words/refusal-error.ts';
import type { Conversation } from '../conversation.ts';
import { renderBlock } from '../drawing/cards.ts';
import type { Column, Line } from '../drawing/column.ts';

/** The parts of a chat that these commands use. */
interface Screen {
  loom: Loom;
  column: Column;
}

/** `/diff [all]`: the changes of the last answer to files, or of the whole branch. */
export async function showChanges(
  rest: string,
  conversation: Conversation,
  { loom, column }: Screen,
): Promise<undefined> {
  const { root, turn, node } = await lastTurn(conversation);
  const scope = rest === 'all' ? { node, scope: 'branch' as const } : { turn };
  const { files, notes } = orFail(await loom.call('turn.changes', { root, ...scope }));
  const lines = files.flatMap(({ state, why, path, kind, from, diff }): Line[] => [
    ...renderBlock({
      type: 'file-change',
      changes: [{ path, kind, ...(from === undefined ? {} : { from }), ...(diff === undefined ? {} : { diff }) }],
    }),
    ...(state === 'as-left' ? [] : [faint(`  ${stateWords[state] ?? state}`)]),
    ...(why === undefined ? [] : [faint(`  ${why}`)]),
  ]);
  column.addLines([...(lines.length === 0 ? [faint('No file was changed.')] : lines), ...notes.map(faint)]);
}

const stateWords: Readonly<Record<string, string>> = {
  'changed-since': 'It was changed since.',
  undone: 'It is back as it was before.',
  unknown: 'It cannot be compared.',
};

/** `/undo-files [path …]`: takes back what the last answer did to files, or to some of them. */
export async function undoFiles(rest: string, conversation: Conversation, screen: Screen): Promise<undefined> {
  await bringFiles(rest, conversation, screen, 'turn.undo_files');
}

/** `/redo-files [path …]`: does again what /undo-files took back. */
export async function redoFiles(rest: string, conversation: Conversation, screen: Screen): Promise<undefined> {
  await bringFiles(rest, conversation, screen, 'turn.redo_files');
}

const broughtWords = { 'turn.undo_files': 'brought back', 'turn.redo_files': 'changed again' } as const;

async function bringFiles(
  rest: string,
  conversation: Conversation,
  { loom, column }: Screen,
  name: keyof typeof broughtWords,
): Promise<void> {
  const { root, turn } = await lastTurn(conversation);
  const paths = rest.split(/\s+/u).filter((path) => path !== '');
  const params = { root, turn, ...(paths.length === 0 ? {} : { paths }) };
  const { restored, left } = orFail(await loom.call(name, params));
  const words = broughtWords[name];
  column.addLines([
    faint(
      restored.length === 0
        ? `No file was ${words}.`
        : `${count(restored.length, 'file')} ${words}: ${restored.join(', ')}`,
    ),
    ...left.map(({ path, message }): Line => ({ text: `${path} stays: ${message}`, tone: 'odd' })),
  ]);
}

/** `/processes [stop id]`: the commands in the background, which end with Loom. */
export async function showProcesses(
  rest: string,
  { root }: Conversation,
  { loom, column }: Screen,
): Promise<undefined> {
  const [, id] = /^stop\s+(\S+)$/u.exec(rest) ?? [];
  if (id !== undefined) orFail(await loom.call('process.stop', { id }));
  else if (rest !== '') throw new LoomError('bad-value', '/processes takes nothing, or stop and an id');
  const { items } = orFail(await loom.call('process.list', root === undefined ? {} : { root }));
  const lines = items.flatMap(({ id: name, command, state, tail }): Line[] => [
    { text: `${name}  ${state}  ${command}` },
    ...tail
      .trimEnd()
      .split('\n')
      .slice(-2)
      .filter((line) => line !== '')
      .map((line) => faint(`    ${line}`)),
  ]);
  column.addLines(lines.length === 0 ? [faint('No command runs in the background.')] : lines);
}

/** The last turn on the branch at hand, and the end of the branch. */
async function lastTurn(conversation: Conversation): Promise<{ root: string; turn: string; node: string }> {
  const state = await conversation.state();
  const path = state === undefined ? [] : pathTo(state, conversation.place ?? state.id);
  const turn = path.findLast((one) => one.turn !== undefined)?.turn;
  const node = path.at(-1)?.id;
  if (state !== undefined && turn !== undefined && node !== undefined) return { root: state.id, turn, node };
  throw new LoomError('nothing-there', 'no model has answered here yet', { advice: 'Say something first.' });
}

function faint(text: string): Line {
  return { text, tone: 'faint' };
}
