import { pathTo } from '@loom/kernel';
import type { NodeState } from '@loom/kernel';
import { LoomError } from '../../command-line/failure.ts';
import type { Loom } from '../../runtime/loom.ts';
import { orFail } from '../../words/refusal-error.ts';
import type { Conversation } from '../conversation.ts';
import type { Column, Line } from '../drawing/column.ts';

/** The parts of a chat that these commands use. */
interface Screen {
  loom: Loom;
  column: Column;
}

/** `/command stop|background|again`: what to do with the command that runs, or with the last one that ran. */
export async function directCommand(
  rest: string,
  conversation: Conversation,
  { loom, column }: Screen,
): Promise<undefined> {
  const nodes = await branchOf(conversation);
  if (rest === 'again') {
    if (conversation.isBusy) throw waitFor('/command again');
    const { node, command } = lastCommand(nodes, ({ tool }) => tool !== 'running');
    orFail(await loom.call('command.run_again', { node, command }));
    column.addLines([
      { text: `$ ${command}` },
      faint('It runs again. The new result stands on a separate branch: see /tree.'),
    ]);
    return;
  }
  if (rest !== 'stop' && rest !== 'background') {
    throw new LoomError('bad-value', '/command takes stop, background or again', {
      advice: 'The first two are for a command that runs, the last one repeats one that has ended.',
    });
  }
  const { node, command } = lastCommand(nodes, ({ tool }) => tool === 'running');
  if (rest === 'stop') {
    orFail(await loom.call('command.stop', { node }));
    column.addLines([faint(`Stopped: ${command}. The answer goes on.`)]);
    return;
  }
  const { id } = orFail(await loom.call('command.move_to_background', { node }));
  column.addLines([faint(`${id} goes on in the background: ${command}. See /processes.`)]);
}

/** `/worktree [name | merge]`: works in a second checkout of the repository, and merges it back. */
export async function useWorktree(
  rest: string,
  conversation: Conversation,
  { loom, column }: Screen,
): Promise<undefined> {
  const { directory } = conversation;
  if (directory === undefined) {
    throw new LoomError('nothing-there', 'this conversation has no folder', { advice: 'Choose one first: /dir .' });
  }
  if (rest === 'merge') {
    const { merged, conflicts } = orFail(await loom.call('worktree.merge', { directory }));
    column.addLines(
      merged
        ? [faint('Merged into the branch that the worktree was made from. The worktree stays.')]
        : [
            { text: 'Nothing was merged. These files conflict:', tone: 'odd' },
            ...conflicts.map((path): Line => ({ text: `  ${path}` })),
          ],
    );
    return;
  }
  const made = orFail(await loom.call('worktree.create', { directory, ...(rest === '' ? {} : { name: rest }) }));
  await conversation.configure({ directory: made.directory });
  column.addLines([
    faint(`Tools work in ${made.directory} now, on the branch ${made.branch}. /worktree merge brings it back.`),
  ]);
}

/** `/instructions [on | off]`: whether models read the AGENTS.md or CLAUDE.md of the folder. */
export async function switchInstructions(
  rest: string,
  conversation: Conversation,
  { loom, column }: Screen,
): Promise<undefined> {
  if (rest !== '' && rest !== 'on' && rest !== 'off') {
    throw new LoomError('bad-value', '/instructions takes nothing, on or off');
  }
  if (rest !== '') await conversation.configure({ instructions: rest === 'on' ? null : false });
  const { directory } = conversation;
  if (directory === undefined) {
    column.addLines([faint('There is no folder, so there are no instructions. Choose one: /dir .')]);
    return;
  }
  const { files } = orFail(await loom.call('instructions.get', { directory }));
  const state = conversation.hasInstructions ? 'Models read' : 'Switched off; models do not read';
  column.addLines(
    files.length === 0
      ? [faint(`There is no AGENTS.md or CLAUDE.md for ${directory}.`)]
      : [faint(`${state} from their next answer on:`), ...files.map(({ path }): Line => ({ text: `  ${path}` }))],
  );
}

interface ShownCommand {
  node: string;
  command: string;
}

/** The last command of the branch that is wanted. */
function lastCommand(nodes: readonly NodeState[], isWanted: (node: NodeState) => boolean): ShownCommand {
  for (const node of nodes.toReversed()) {
    const block = node.blocks.find(({ type }) => type === 'command');
    if (block?.type === 'command' && isWanted(node)) return { node: node.id, command: block.command };
  }
  throw new LoomError('nothing-there', 'there is no such command on this branch', { advice: 'See /processes.' });
}

/** The nodes of the branch at hand, those of an answer that is being written included. */
async function branchOf(conversation: Conversation): Promise<NodeState[]> {
  const state = await conversation.state();
  if (state === undefined) return [];
  const live = [...state.nodes.values()].findLast(({ tool }) => tool === 'running');
  return pathTo(state, live?.id ?? conversation.place ?? state.id);
}

function waitFor(command: string): LoomError {
  return new LoomError('turn-live', `${command} has to wait until the answer is over`, {
    advice: 'Stop it with /stop or Ctrl-C.',
  });
}

function faint(text: string): Line {
  return { text, tone: 'faint' };
}
