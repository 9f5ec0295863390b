import type { RootState } from '@loom/kernel';
import { chooseAnswerer, textOption } from '../chat/answerer.ts';
import type { FolderChoice } from '../chat/conversation-start.ts';
import { Conversation, type SaidContent } from '../chat/conversation.ts';
import { converse, openScreen } from '../chat/interactive.ts';
import { readFolderChoice } from '../chat/folder-choice.ts';
import { askOnce } from '../chat/one-shot.ts';
import { findNamedPlace, findRecentPlace, type StartingPlace } from '../chat/starting-place.ts';
import { shorten } from '../chat/drawing/cards.ts';
import { showControls, type Column } from '../chat/drawing/column.ts';
import { openInputHistory } from '../chat/input/input-history.ts';
import { recallPath } from '../chat/drawing/recap.ts';
import type { Call } from '../command-line/command.ts';
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/failure.ts';
import { nodeDisk } from '@loom/data-folder/files';
import { shortName, titleOf } from '../forest-view/node-line.ts';
import { attachFiles, refuseUnfit } from '../attachments/message-content.ts';
import { isAgent } from '../models/agents/agents.ts';
import type { ChosenModel } from '../models/demo-model.ts';
import type { Models } from '../models/models.ts';
import { suggest } from '../command-line/suggested-command.ts';
import { noteOf } from '../runtime/files-note.ts';
import type { Loom } from '../runtime/loom.ts';
import { withLoom } from '../runtime/sharing/shared-folder.ts';
import { withPresentData } from '../runtime/present-data.ts';
import { nameInCommands } from '../runtime/named-place.ts';
import { styleFor } from '../terminal/style.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readValue } from '../terminal/value-input.ts';
import { orFail } from '../words/refusal-error.ts';

/** `loom chat` */
export async function chat(call: Call): Promise<ExitCode> {
  const { options, dataDir, store, isJson, terminal } = call;
  refuseContradictions(call);
  const { systemPrompt, models, answersRemark, ...answerer } = await chooseAnswerer(call);
  const place = readFolderChoice(options);
  const prompt = await readPrompt(call);
  const isChat = !options.has('prompt') && !isJson && terminal.input.isTTY === true && terminal.screen.isOut;
  const isNew = !options.has('continue') && !options.has('node');
  // Through the chat as soon as there is one, which shares the screen with the typed line.
  let tell = terminal.note;
  const note = (text: string): void => tell(text);
  return (isNew ? withLoom : withPresentData)({ dataDir, store, models, note }, async (loom) => {
    const at = await findPlace(loom, options);
    const own = isNew ? await projectModel(loom, models, call, place) : undefined;
    const conversation = new Conversation(loom, {
      ...answerer,
      ...(own === undefined ? {} : { model: own }),
      place: isNew && isAgent(own ?? answerer.model) ? { directory: process.cwd(), ...place } : place,
      ...(at === undefined ? { systemPrompt } : { at }),
    });
    await conversation.open();
    try {
      if ((prompt !== undefined && !isChat) || options.has('extend')) {
        const { remark } = own ?? answerer.model;
        // A script need not hear that the demo answers.
        const isNews = (own ?? answerer.model).provider !== 'demo' || terminal.screen.isNote;
        if (remark !== undefined && isNews && !isJson) terminal.note(`${remark}\n`);
        if (answersRemark !== undefined && !options.has('extend') && !isJson) terminal.note(`${answersRemark}\n`);
        const attach = attacher(call, { loom, models, conversation }, noteOf(terminal, isJson));
        const content = prompt && (await attach(prompt));
        const once = { terminal, isJson, isApproving: options.has('yes') };
        const code = await askOnce(conversation, content, once);
        return await waitForTitle(code, conversation, noteOf(terminal, isJson));
      }
      const speaking = { loom, models, conversation, remark: answersRemark };
      const code = await talk(call, speaking, prompt, (say) => (tell = say));
      return await waitForTitle(code, conversation, noteOf(terminal, isJson));
    } finally {
      conversation.close();
    }
  });
}

/** Returns the model that the project of the folder says, for a new conversation for which none was named. */
async function projectModel(
  loom: Loom,
  models: Models,
  { options }: Call,
  { directory }: FolderChoice,
): Promise<ChosenModel | undefined> {
  if (directory === undefined || ['model', 'agent', 'preset'].some((name) => options.has(name))) return undefined;
  const { config } = orFail(await loom.call('project.get', { directory }));
  return config.model === undefined ? undefined : models.choose(config.model);
}

/** The parts of a chat. */
interface Speaking {
  loom: Loom;
  models: Models;
  conversation: Conversation;
}

/** Waits for the model that looks for a title. Its result changes nothing else. */
async function waitForTitle(
  code: ExitCode,
  conversation: Conversation,
  note: (text: string) => void,
): Promise<ExitCode> {
  const failure = code === EXIT.interrupted ? undefined : await conversation.titled();
  if (failure !== undefined) note(`loom: no model has given the conversation a title: ${failure}\n`);
  return code;
}

/** A chat at a keyboard or through a pipe. */
async function talk(
  call: Call,
  { loom, models, conversation, remark }: Speaking & { remark: string | undefined },
  first: Prompt | undefined,
  tellThrough: (say: (text: string) => void) => void,
): Promise<ExitCode> {
  const { terminal, dataDir } = call;
  const history = await openInputHistory(nodeDisk, dataDir);
  const screen = await openScreen(terminal, { conversation, models, env: terminal.env }, history);
  if (screen.talk.isKeyboard) {
    greet(screen.column, conversation, await conversation.state(), remark);
    // For Tab, which cannot wait.
    await models.list({ live: false });
  }
  loom.watch();
  const say = (text: string): void => screen.column.addLines([{ text: text.trimEnd(), tone: 'faint' }]);
  if (screen.talk.isKeyboard) tellThrough(say);
  const attachTo = attacher(call, { loom, models, conversation }, say);
  // Piped text may come from others, who have no say in what is read from this machine.
  const attach = (text: string): Promise<SaidContent> => attachTo({ text, own: screen.talk.isKeyboard ? text : '' });
  const begin = first && { text: first.text, content: await attachTo(first) };
  const code = await converse(conversation, { loom, models, terminal, attach, ...screen }, begin);
  await history.saved();
  const { place } = conversation;
  if (screen.talk.isKeyboard && place !== undefined) {
    const command = suggest(`chat --node ${await nameInCommands(loom, place)}`);
    terminal.out(`${styleFor(terminal, 'out').faint(`To continue: ${command}`)}\n`);
  }
  return code;
}

function greet(
  column: Column,
  { place, model, directory, mode }: Conversation,
  state: RootState | undefined,
  remark: string | undefined,
): void {
  const title = state === undefined ? '' : shorten(showControls(titleOf(state)), 60);
  const about = title === '' ? '' : ` of “${title}”`;
  const where = place === undefined ? 'A new conversation' : `Continuing from ${shortName(place)}${about}`;
  column.flow(`${where} with ${model.name}. /help lists the commands, Ctrl-D leaves.`, 'faint');
  column.startLine();
  if (directory !== undefined) column.addLines([{ text: `Tools work in ${directory}, mode ${mode}.`, tone: 'faint' }]);
  for (const text of [model.remark, remark]) if (text !== undefined) column.addLines([{ text, tone: 'odd' }]);
  if (place === undefined || state === undefined) return;
  column.startParagraph();
  for (const { text, tone } of recallPath(state, place)) {
    column.flow(text, tone);
    column.add('\n');
  }
}

type Options = Call['options'];

function refuseContradictions({ words, options }: Call): void {
  if (words.length > 0 && options.has('prompt')) {
    throw new UsageError('bad-option', 'there are two texts to say: that of -p, and the other words', {
      advice: 'Give one of them. A text of several words goes between quotes: -p "hello there"',
    });
  }
  const isGoingOn = options.has('continue') || options.has('node');
  if (options.has('continue') && options.has('node')) {
    throw new UsageError('bad-option', '--continue and --node name two places; give one of them');
  }
  if (isGoingOn && options.has('system')) {
    throw new UsageError('bad-option', 'the system prompt of a conversation is set when it begins', {
      advice: 'Leave out --system, or begin a new conversation without --continue and --node.',
    });
  }
  if (options.has('extend') && (!isGoingOn || options.has('prompt') || words.length > 0)) {
    throw new UsageError('bad-option', '--extend goes on with an answer that is there, and says nothing itself', {
      advice: `Name the answer with --node, or take the last one: ${suggest('chat --continue --extend')}`,
    });
  }
  if (options.has('yes') && !options.has('prompt') && !options.has('extend') && words.length === 0) {
    throw new UsageError('bad-option', '--yes goes with a text to say; in a chat you are asked');
  }
}

/** The text to send, and the part of it that the person has written here: only that may name files. */
interface Prompt {
  text: string;
  own: string;
}

/** Reads the files that go with a message: those of --attach with the first one, and those that the person's own words name. */
function attacher(
  { repeated, terminal }: Call,
  { loom, models, conversation }: Speaking,
  say: (text: string) => void,
): (prompt: Prompt) => Promise<SaidContent> {
  let named = repeated.get('attach') ?? [];
  const scope = {
    directory: process.cwd(),
    env: terminal.env,
    putBlob: (bytes: Uint8Array) => loom.putBlob(bytes),
  };
  return async (prompt) => {
    const { content, attachments } = await attachFiles(prompt, named, { ...scope, folder: conversation.directory });
    await refuseUnfit(attachments, conversation.model, models);
    named = [];
    for (const { path, about } of attachments) say(`Attached ${path} (${about}).\n`);
    return content;
  };
}

/** Returns the first message, if there is one. With --json there always is: without a text it is the piped input. */
export async function readPrompt(call: Call): Promise<Prompt | undefined> {
  const { words, options, isJson, terminal } = call;
  const prompt = textOption(options, 'prompt') ?? (words.length === 0 ? undefined : words.join(' '));
  if (options.has('extend') || (prompt === undefined && !isJson)) return undefined;
  if (prompt === undefined && terminal.input.isTTY === true) {
    throw new UsageError('bad-option', 'chat --json needs a text to say', { advice: 'Or pipe the text in.' });
  }
  const isPiped = prompt === undefined || prompt === '-';
  const text = isPiped ? await readMessage(terminal) : await withPipedText(prompt, call);
  if (text.trim() !== '') return { text, own: isPiped ? '' : prompt };
  throw new UsageError('missing-argument', 'the message is empty', {
    advice: `Say something: ${suggest('chat "hello"')}`,
  });
}

function readMessage(terminal: Terminal): Promise<string> {
  return readValue(terminal, 'Your message', false);
}

/** Returns the prompt, and below it the piped text: `loom chat -p "sum this up" < notes.md`. */
async function withPipedText(prompt: string, { terminal, isJson }: Call): Promise<string> {
  if (terminal.input.isTTY === true) return prompt;
  const note = noteOf(terminal, isJson);
  const hint = setTimeout(
    () => note('Reading standard input until it ends. To add nothing: < /dev/null\n'),
    patienceWithPipe,
  );
  try {
    const piped = await readMessage(terminal);
    return piped.trim() === '' ? prompt : `${prompt}\n\n${piped}`;
  } finally {
    clearTimeout(hint);
  }
}

/** The time, in milliseconds, after which a note says what the command waits for. */
const patienceWithPipe = 2000;

async function findPlace(loom: Loom, options: Options): Promise<StartingPlace | undefined> {
  const node = textOption(options, 'node');
  if (node !== undefined) return findNamedPlace(loom, node);
  return options.has('continue') ? findRecentPlace(loom) : undefined;
}
