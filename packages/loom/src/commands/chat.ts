import { chooseAnswerer, textOption } from '../chat/answerer.ts';
import { Conversation } from '../chat/conversation.ts';
import { converse, openScreen } from '../chat/interactive.ts';
import { askOnce } from '../chat/one-shot.ts';
import { findNamedPlace, findRecentPlace, type StartingPlace } from '../chat/starting-place.ts';
import type { Call } from '../command.ts';
import type { ExitCode } from '../exit-codes.ts';
import { UsageError } from '../failure.ts';
import { noteOf } from '../runtime/files-note.ts';
import { withWriter, type Loom } from '../runtime/open-loom.ts';
import { withPresentData } from '../runtime/present-data.ts';
import type { Terminal } from '../terminal.ts';
import { readValue } from '../value-input.ts';

/** `loom chat` */
export async function chat(call: Call): Promise<ExitCode> {
  const { options, dataDir, store, isJson, terminal } = call;
  refuseContradictions(call);
  const { systemPrompt, ...answerer } = await chooseAnswerer(call);
  const text = await readPrompt(call);
  const isNew = !options.has('continue') && !options.has('node');
  return (isNew ? withWriter : withPresentData)({ dataDir, store }, async (loom) => {
    const at = await findPlace(loom, options);
    const conversation = new Conversation(loom, { ...answerer, ...(at === undefined ? { systemPrompt } : { at }) });
    await conversation.open();
    try {
      if (text !== undefined)
        return await askOnce(conversation, text, { terminal, isJson, isApproving: options.has('yes') });
      const { talk, column } = await openScreen(terminal);
      if (talk.isKeyboard) {
        const place = at === undefined ? 'A new conversation' : `Going on from ${at.place.split('/').at(-1) ?? ''}`;
        column.addLines([
          { text: `${place} with ${answerer.model.name}. /help lists the commands, Ctrl-D leaves.`, tone: 'faint' },
        ]);
      }
      loom.watch();
      return await converse(conversation, { loom, terminal, talk, column });
    } finally {
      conversation.close();
    }
  });
}

type Options = Call['options'];

function refuseContradictions({ options }: Call): void {
  const isGoingOn = options.has('continue') || options.has('node');
  if (options.has('continue') && options.has('node')) {
    throw new UsageError('bad-option', '--continue and --node name two places; give one of them');
  }
  if (isGoingOn && options.has('system')) {
    throw new UsageError('bad-option', 'the system prompt of a conversation is set when it begins', {
      advice: 'Leave out --system, or begin a new conversation without --continue and --node.',
    });
  }
  if (options.has('yes') && !options.has('prompt')) {
    throw new UsageError('bad-option', '--yes goes with -p; in a chat you are asked');
  }
}

/** The one thing to say, or `undefined` for a chat. With --json there is always one: without -p it is what is piped in. */
async function readPrompt(call: Call): Promise<string | undefined> {
  const { options, isJson, terminal } = call;
  const prompt = textOption(options, 'prompt');
  if (prompt === undefined && !isJson) return undefined;
  if (prompt === undefined && terminal.input.isTTY === true) {
    throw new UsageError('bad-option', 'chat --json needs -p <text>', { advice: 'Or pipe the text in.' });
  }
  const text = prompt === undefined || prompt === '-' ? await readMessage(terminal) : await withPipedText(prompt, call);
  if (text.trim() !== '') return text;
  throw new UsageError('missing-argument', 'the message is empty', { advice: 'Say something: loom chat -p "hello"' });
}

function readMessage(terminal: Terminal): Promise<string> {
  return readValue(terminal, 'Your message', false);
}

/** The prompt, and below it what is piped in: `loom chat -p "sum this up" < notes.md`. */
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

/** After so many milliseconds the person is told what the command waits for. */
const patienceWithPipe = 2000;

async function findPlace(loom: Loom, options: Options): Promise<StartingPlace | undefined> {
  const node = textOption(options, 'node');
  if (node !== undefined) return findNamedPlace(loom, node);
  return options.has('continue') ? findRecentPlace(loom) : undefined;
}
