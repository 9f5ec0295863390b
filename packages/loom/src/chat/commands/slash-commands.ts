import { costOf, isVisible, lastPart, liveChildren, messageToAnswer, pathTo, promptOf } from '@loom/kernel';
import type { PrefixHead, RootState } from '@loom/kernel';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError } from '../../command-line/failure.ts';
import { drawTree } from '../../forest-view/draw-tree.ts';
import { shortName, speakerOf } from '../../forest-view/node-line.ts';
import { count } from '../../terminal/progress.ts';
import type { Models } from '../../models/models.ts';
import type { Loom } from '../../runtime/loom.ts';
import { orFail } from '../../words/refusal-error.ts';
import { styleFor } from '../../terminal/style.ts';
import { nearest } from '@loom/blocks/nearest-word';
import { screenWidth, type Talk, type Terminal } from '../../terminal/terminal.ts';
import { modeWords } from '../folder-choice.ts';
import { completePath } from '../../attachments/complete-path.ts';
import type { Column, Line } from '../drawing/column.ts';
import { completeLine, type Completion } from '../input/completion.ts';
import type { Conversation, SaidContent } from '../conversation.ts';
import { redoFiles, showChanges, showProcesses, undoFiles } from './file-commands.ts';
import { chooseFolder, changeMode, chooseTools } from './folder-commands.ts';
import { directCommand, switchInstructions, useWorktree } from './work-commands.ts';
import { sayToAgent } from './agent-commands.ts';
import { promptCommand, systemCommand, usePrompt } from './prompt-commands.ts';
import { offeredTools } from '../offered-tools.ts';
import { suggest } from '../../command-line/suggested-command.ts';

/** The parts of a chat at a terminal. */
export interface ChatScreen {
  loom: Loom;
  models: Models;
  terminal: Terminal;
  talk: Talk;
  column: Column;
  /** Reads the files that a message names, and says so. */
  attach: (text: string) => Promise<SaidContent>;
}

/** Runs a line that begins with a slash. Returns the exit code if the chat is over. */
export async function runSlashCommand(
  line: string,
  conversation: Conversation,
  screen: ChatScreen,
): Promise<ExitCode | undefined> {
  const [, name = '', rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? [];
  const command = commands.find((candidate) => candidate.name === name || candidate.alias === name);
  if (command === undefined) {
    if (await usePrompt(name, rest.trim(), conversation, screen)) return undefined;
    if (await sayToAgent(line, name, conversation, screen)) return undefined;
    const guess = nearest(
      name,
      commands.map((candidate) => candidate.name),
    );
    throw new LoomError('unknown-command', `there is no /${name}`, {
      advice:
        guess === undefined
          ? 'See /help. To send a line that begins with a slash, double it.'
          : `Did you mean /${guess}?`,
    });
  }
  if (conversation.isBusy && command.isForRest) {
    throw new LoomError('turn-live', `/${name} has to wait until the answer is over`, {
      advice: 'Stop it with /stop or Ctrl-C.',
    });
  }
  return command.run(rest.trim(), conversation, screen);
}

interface SlashCommand {
  name: string;
  alias?: string;
  usage: string;
  summary: string;
  /** True if it cannot run during a turn. */
  isForRest?: boolean;
  run: (rest: string, conversation: Conversation, screen: ChatScreen) => Promise<ExitCode | undefined>;
}

const commands: readonly SlashCommand[] = [
  {
    name: 'fork',
    usage: '/fork [node] [block]',
    summary: 'go back before your last message, or to a node or block',
    isForRest: true,
    run: fork,
  },
  {
    name: 'retry',
    usage: '/retry',
    summary: 'answer your last message again',
    isForRest: true,
    run: retry,
  },
  {
    name: 'continue',
    usage: '/continue',
    summary: 'continue an answer from its end, if the model can',
    isForRest: true,
    run: goOn,
  },
  {
    name: 'compact',
    usage: '/compact',
    summary: 'summarize, and continue from the summary',
    isForRest: true,
    run: compact,
  },
  { name: 'tree', usage: '/tree', summary: 'draw this conversation and where you are', run: showTree },
  { name: 'undo', usage: '/undo', summary: 'undo your last change', isForRest: true, run: undo },
  { name: 'model', usage: '/model [name]', summary: 'list the models, or switch to another', run: switchModel },
  { name: 'n', usage: '/n count', summary: 'get several answers side by side from now on', run: setAnswers },
  { name: 'pick', usage: '/pick [n]', summary: 'list the answers, or continue from one', isForRest: true, run: pick },
  { name: 'dir', usage: '/dir [folder]', summary: 'show or choose the folder that tools work in', run: chooseFolder },
  { name: 'mode', usage: '/mode [mode]', summary: 'show or change how freely tools act', run: changeMode },
  {
    name: 'tools',
    usage: '/tools [+name -name]',
    summary: 'list the tools, or switch some on and off',
    run: chooseTools,
  },
  { name: 'diff', usage: '/diff [all]', summary: 'show what the last answer, or all, did to files', run: showChanges },
  {
    name: 'undo-files',
    usage: '/undo-files [path]',
    summary: 'take back what the last answer did to files',
    isForRest: true,
    run: undoFiles,
  },
  {
    name: 'redo-files',
    usage: '/redo-files [path]',
    summary: 'do again what /undo-files took back',
    isForRest: true,
    run: redoFiles,
  },
  {
    name: 'command',
    usage: '/command [action]',
    summary: 'stop, background or again: act on a command',
    run: directCommand,
  },
  {
    name: 'worktree',
    usage: '/worktree [name|merge]',
    summary: 'work in a new git worktree, or merge it back',
    isForRest: true,
    run: useWorktree,
  },
  {
    name: 'instructions',
    usage: '/instructions [on|off]',
    summary: 'show or switch the AGENTS.md of the folder',
    run: switchInstructions,
  },
  { name: 'processes', usage: '/processes [stop id]', summary: 'commands in the background', run: showProcesses },
  { name: 'prompt', usage: '/prompt [name …]', summary: 'list your prompts; /name uses one', run: promptCommand },
  {
    name: 'system',
    usage: '/system [text]',
    summary: 'show or change the system prompt',
    isForRest: true,
    run: systemCommand,
  },
  { name: 'queue', usage: '/queue text', summary: 'send a message when the answer is finished', run: queue },
  { name: 'stop', usage: '/stop', summary: 'stop the answer (Ctrl-C)', run: stop },
  { name: 'help', alias: '?', usage: '/help', summary: 'this list', run: help },
  { name: 'quit', alias: 'exit', usage: '/quit', summary: 'leave (Ctrl-D)', run: quit },
];

async function fork(rest: string, conversation: Conversation, { loom, column }: ChatScreen): Promise<undefined> {
  const state = await begun(conversation);
  const [word, number] = rest.split(/\s+/);
  const place =
    word === undefined || word === ''
      ? beforeLastMessage(state, conversation.place)
      : await findHere(loom, word, state);
  if (number === undefined) conversation.goTo(place);
  else {
    const block = state.nodes.get(place)?.blocks[Number(number) - 1]?.block_id;
    if (block === undefined) {
      throw new LoomError('block-not-found', `${shortName(place)} has no block ${number}`, {
        advice: 'They are counted from 1.',
      });
    }
    const { tip } = orFail(await loom.call('node.fork', { block_id: block }));
    conversation.goTo(tip);
  }
  const where = conversation.place === state.id ? 'the very beginning' : shortName(conversation.place ?? '');
  column.addLines([
    { text: `You are now at ${where}. What you say next goes on from there; nothing is lost.`, tone: 'faint' },
  ]);
}

async function retry(_rest: string, conversation: Conversation): Promise<undefined> {
  await begun(conversation);
  await conversation.retry();
}

async function compact(_rest: string, conversation: Conversation): Promise<undefined> {
  await begun(conversation);
  await conversation.compact();
}

async function goOn(_rest: string, conversation: Conversation): Promise<undefined> {
  await begun(conversation);
  await conversation.goOn();
}

/** The node above the last message of the person, or the root. */
function beforeLastMessage(state: RootState, place: string | undefined): string {
  const path = pathTo(state, place ?? state.id);
  return path.findLast((node) => node.role === 'user')?.parent ?? state.id;
}

async function findHere(loom: Loom, word: string, state: RootState): Promise<string> {
  const { root, node } = orFail(await loom.call('id.resolve', { text: word, root: state.id }));
  if (root === state.id) return node;
  throw new LoomError('node-not-found', `${word} belongs to another conversation`, {
    advice: `To go on there: ${suggest(`chat --node ${node}`)}`,
  });
}

async function showTree(
  _rest: string,
  conversation: Conversation,
  { column, terminal }: ChatScreen,
): Promise<undefined> {
  const state = await begun(conversation);
  const style = styleFor(terminal, 'out');
  const lines = drawTree(state, { style, width: screenWidth(terminal), here: conversation.place });
  column.startParagraph();
  column.addTrusted(lines);
}

async function undo(_rest: string, conversation: Conversation, { loom, column }: ChatScreen): Promise<undefined> {
  const before = await begun(conversation);
  const path = pathTo(before, conversation.place ?? before.id).map(({ id }) => id);
  orFail(await loom.call('tree.undo', { root: before.id }), { isChat: true });
  const state = await begun(conversation);
  // The place may be gone; then the nearest one above it that is left.
  const visible = path.findLast((id) => isVisible(state, id));
  conversation.goTo(visible ?? state.id);
  column.addLines([
    { text: `Undone. You are at ${visible === undefined ? 'the beginning' : shortName(visible)}.`, tone: 'faint' },
  ]);
}

async function switchModel(
  name: string,
  conversation: Conversation,
  { loom, models, column }: ChatScreen,
): Promise<undefined> {
  if (name === '') {
    const all = await models.list({ live: true });
    // A router has hundreds of models.
    const known = all.filter(
      ({ name: listed, isOlder }) =>
        listed === conversation.model.name || !(isOlder || listed.startsWith('openrouter/')),
    );
    const width = Math.max(...known.map((model) => model.name.length));
    column.addLines(
      known.map((model) => ({
        text: `${model.name === conversation.model.name ? '→' : ' '} ${model.name.padEnd(width)}  ${model.about()}`.trimEnd(),
      })),
    );
    if (known.length < all.length) {
      const more = count(all.length - known.length, 'more model');
      column.addLines([{ text: `${more}: ${suggest('models <word>')}`, tone: 'faint' }]);
    }
    return;
  }
  const model = await models.choose(name);
  const state = await conversation.state();
  const lines: Line[] = [{ text: `The next answer is by ${model.name}.`, tone: 'faint' }];
  if (state !== undefined) lines.push(...(await priceOfSwitch(state, conversation, model, loom)));
  if (model.remark !== undefined) lines.push({ text: model.remark, tone: 'odd' });
  conversation.model = model;
  conversation.others = [];
  column.addLines(lines);
}

async function setAnswers(text: string, conversation: Conversation, { column }: ChatScreen): Promise<undefined> {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 99) {
    throw new LoomError('bad-value', '/n needs a whole number from 1 to 99');
  }
  conversation.answers = number;
  column.addLines([
    {
      text:
        number === 1
          ? 'From now on 1 answer to each message.'
          : `From now on ${number} answers to each message, without tools; /pick chooses one.`,
      tone: 'faint',
    },
  ]);
}

/** Goes to one of the answers to the person's last message. */
async function pick(text: string, conversation: Conversation, { column }: ChatScreen): Promise<undefined> {
  const state = await begun(conversation);
  const message = messageToAnswer(state, conversation.place ?? state.id);
  const answers = message === undefined ? [] : liveChildren(state, message);
  if (text === '') {
    const lines = answers.map((answer, index) => ({
      text: `${isOnPath(state, conversation, answer.id) ? '→' : ' '} ${index + 1}  ${shortName(answer.id)}  ${speakerOf(answer)}`,
    }));
    column.addLines(lines.length === 0 ? [{ text: 'There is no answer yet.', tone: 'faint' }] : lines);
    return;
  }
  const answer = answers[Number(text) - 1] ?? answers.find(({ id }) => shortName(id) === text);
  if (answer === undefined) {
    throw new LoomError('node-not-found', `there is no answer ${text}`, {
      advice: '/pick lists them.',
    });
  }
  const leaf = lastPart(state, answer).id;
  conversation.goTo(leaf);
  column.addLines([{ text: `You go on from ${shortName(leaf)}.`, tone: 'faint' }]);
}

function isOnPath(state: RootState, { place }: Conversation, node: string): boolean {
  return pathTo(state, place ?? state.id).some(({ id }) => id === node);
}

/** Words the price of switching to another model, and the parts it will not see. */
async function priceOfSwitch(
  state: RootState,
  conversation: Conversation,
  model: { provider: string; model: string },
  loom: Loom,
): Promise<Line[]> {
  const place = conversation.place ?? state.id;
  const path = pathTo(state, place);
  const headOf = async (chosen: { provider: string; model: string }): Promise<PrefixHead> => ({
    provider: chosen.provider,
    model: chosen.model,
    tools: await offeredTools(loom, chosen, state.id),
    ...promptOf(state.config),
  });
  const [before, after] = [await headOf(conversation.model), await headOf(model)];
  const cost = costOf(place, { path, head: before }, { path, head: after }, loom.hash);
  const thoughts = cost.invalid_thinking.length;
  const parts = [
    ...(cost.tokens_again > 0 ? [`reads about ${count(cost.tokens_again, 'token')} again`] : []),
    ...(thoughts > 0 ? [`does not see ${count(thoughts, 'thought')} of the previous model`] : []),
  ];
  return parts.length === 0 ? [] : [{ text: `It ${parts.join(' and ')}.`, tone: 'faint' }];
}

async function queue(text: string, conversation: Conversation, { attach }: ChatScreen): Promise<undefined> {
  if (text === '') throw new LoomError('missing-argument', '/queue needs a text');
  const content = await attach(text);
  await (conversation.isBusy ? conversation.queue(content) : conversation.say(content));
}

async function stop(_rest: string, conversation: Conversation, screen: ChatScreen): Promise<undefined> {
  await stopAnswer(conversation, screen, 'staying');
}

/**
 * Stops the running answer; a person who leaves stops only the turns started here. Messages that waited for its end are put back into the
 * line that is typed, or are shown, so that they can be sent again.
 */
export async function stopAnswer(
  conversation: Conversation,
  { column, talk }: ChatScreen,
  then: 'staying' | 'leaving',
): Promise<void> {
  const returned = await conversation.abort(then === 'leaving' ? 'own' : 'all');
  if (returned.length === 0 || (then === 'staying' && talk.refill(returned.join('\n')))) return;
  column.addLines(returned.map((text) => ({ text: `Not sent, because the answer was stopped: ${text}`, tone: 'odd' })));
}

async function help(_rest: string, _conversation: Conversation, { column }: ChatScreen): Promise<undefined> {
  const width = Math.max(...commands.map(({ usage }) => usage.length));
  column.addLines([
    ...commands.map(({ usage, summary }) => ({ text: `${usage.padEnd(width)}  ${summary}` })),
    { text: '' },
    ...hints.map((text) => ({ text, tone: 'faint' as const })),
  ]);
}

const hints = [
  'What you type while an answer is running steers it: the model hears it after',
  'its current step. Ctrl-C stops an answer, twice leaves. Alt-Enter, or \\ at the',
  'end of a line, begins another line of the same message; a pasted text is one',
  'message. @path sends a file along. Up and Down find what you have typed before,',
  'Tab completes commands, models and paths.',
];

/** The sources of completions. */
export interface CompletionSubject {
  conversation: Conversation;
  models: Models;
  env: Terminal['env'];
}

/** Completes a line on Tab: the names of commands, and the nodes and models that some of them take. */
export function completeSlashCommand(line: string, { conversation, models, env }: CompletionSubject): Completion {
  const path = completePath(line, { directory: process.cwd(), folder: conversation.directory, env });
  if (path !== undefined && !line.startsWith('/model')) return path;
  return completeLine(line, {
    commands: commands.map(({ name }) => name),
    argumentsOf: (name) => {
      if (name === 'model') return models.names();
      if (name === 'mode') return Object.keys(modeWords);
      return name === 'fork' ? [...conversation.nodes.keys()].map(shortName) : [];
    },
  });
}

async function quit(_rest: string, conversation: Conversation, screen: ChatScreen): Promise<ExitCode> {
  if (conversation.isBusy) await stopAnswer(conversation, screen, 'leaving');
  return EXIT.ok;
}

async function begun(conversation: Conversation): Promise<RootState> {
  const state = await conversation.state();
  if (state !== undefined) return state;
  throw new LoomError('nothing-there', 'nothing has been said yet', { advice: 'Say something first.' });
}
