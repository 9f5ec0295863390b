import type { ParamsOf } from '@loom/kernel';
import { LoomError } from '../../command-line/failure.ts';
import type { Loom } from '../../runtime/loom.ts';
import type { Talk } from '../../terminal/terminal.ts';
import { orFail } from '../../words/refusal-error.ts';
import type { Conversation, SaidContent } from '../conversation.ts';
import { showControls, type Column, type Line } from '../drawing/column.ts';
import { wordPromptPrice } from '../prompt-price.ts';

/** The parts of a chat that these commands use. */
interface Screen {
  loom: Loom;
  column: Column;
  talk: Talk;
  attach: (text: string) => Promise<SaidContent>;
}

/**
 * Fills a prompt of the library: at a keyboard its text is put into the line, to be read and sent with Enter; a pipe has no reader, so that it is
 * sent. Returns false if there is no prompt of that name.
 */
export async function usePrompt(
  name: string,
  words: string,
  conversation: Conversation,
  { loom, column, talk, attach }: Screen,
): Promise<boolean> {
  const filled = await loom.call('prompt.fill', { name, arguments: words, ...scopeOf(conversation) });
  // A name that no prompt can have is none.
  if (!filled.ok && ['prompt-not-found', 'invalid-params'].includes(filled.refusal.reason)) return false;
  const { text, missing, commands, model } = orFail(filled);
  const notes = [
    ...(missing.length === 0 ? [] : [`Still to fill in: ${missing.join(', ')}.`]),
    ...commands.map((command) => `Its file would run ${showControls(command)}. Loom does not.`),
    ...(model === undefined ? [] : [`It is meant for ${showControls(model)}; /model chooses it.`]),
  ];
  if (notes.length > 0) column.addLines(notes.map(faint));
  if (talk.isKeyboard && talk.refill(text)) {
    column.addLines([faint('Read it, then press Enter to send it.')]);
    return true;
  }
  if (missing.length > 0)
    throw new LoomError('missing-argument', `/${name} needs more: nothing was given for ${missing.join(', ')}`);
  const content = await attach(text);
  await (conversation.isBusy ? conversation.steer(content) : conversation.say(content));
  return true;
}

/** `/prompt [name arguments]`: lists the prompts, or uses one. */
export async function promptCommand(rest: string, conversation: Conversation, screen: Screen): Promise<undefined> {
  const [, name = '', words = ''] = /^(\S*)\s*(.*)$/su.exec(rest) ?? [];
  if (name !== '') {
    if (await usePrompt(name.replace(/^\//u, ''), words, conversation, screen)) return;
    throw new LoomError('prompt-not-found', `there is no prompt ${name}`, { advice: '/prompt lists them.' });
  }
  const { items } = orFail(await screen.loom.call('prompt.list', scopeOf(conversation)));
  const shown = items.filter(({ hidden }) => hidden !== true);
  const heads = shown.map(({ name: own, argument_hint: hint = '' }) => showControls(`/${own} ${hint}`.trimEnd()));
  const wide = Math.min(30, Math.max(0, ...heads.map(({ length }) => length)));
  const lines = shown.map(({ description }, index) =>
    plain(`${(heads[index] ?? '').padEnd(wide)}  ${showControls(description).slice(0, 80)}`),
  );
  screen.column.addLines(lines.length === 0 ? [faint('There are no prompts yet: loom prompt save keeps one.')] : lines);
}

/** `/system [text]`: shows the system prompt, or sets another one and says what that costs. */
export async function systemCommand(
  rest: string,
  conversation: Conversation,
  { loom, column }: Screen,
): Promise<undefined> {
  const state = await conversation.state();
  if (state === undefined) {
    const { systemPrompt } = conversation;
    if (rest !== '')
      throw new LoomError('nothing-there', 'nothing has been said yet', {
        advice: 'Say something first, or begin with loom chat --system "…".',
      });
    column.addLines([faint(systemPrompt ?? 'There is no system prompt.')]);
    return;
  }
  if (rest === '') {
    column.addLines([faint(state.config.systemPrompt ?? 'There is no system prompt.')]);
    return;
  }
  const { place = state.id } = conversation;
  const price =
    place === state.id
      ? undefined
      : wordPromptPrice(orFail(await loom.call('context.cost', { node: place, system_prompt: rest })).costs);
  orFail(await loom.call('root.configure', { root: state.id, config: { systemPrompt: rest } }));
  const before = state.config.systemPrompt;
  column.addLines([
    faint('Changed the system prompt.'),
    ...(price === undefined ? [] : [faint(price)]),
    ...(before === undefined ? [] : [faint(`It was: ${before}`)]),
  ]);
}

/** The conversation, or the folder that it will have. */
function scopeOf({ root, directory }: Conversation): Pick<ParamsOf<'prompt.list'>, 'root' | 'directory'> {
  if (root !== undefined) return { root };
  return directory === undefined ? {} : { directory };
}

function plain(text: string): Line {
  return { text };
}

function faint(text: string): Line {
  return { text, tone: 'faint' };
}
