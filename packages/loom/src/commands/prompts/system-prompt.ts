import { liveChildren } from '@loom/kernel';
import type { RootState } from '@loom/kernel';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { UsageError } from '../../command-line/failure.ts';
import { wordPromptPrice } from '../../chat/prompt-price.ts';
import { noteOf } from '../../runtime/files-note.ts';
import type { Loom } from '../../runtime/loom.ts';
import { findPlace } from '../../runtime/named-place.ts';
import { withPresentData } from '../../runtime/present-data.ts';
import { readValue } from '../../terminal/value-input.ts';
import { orFail } from '../../words/refusal-error.ts';

/** `loom prompt system`: shows the system prompt of a conversation, or sets another one after saying what that costs. */
export function systemPrompt(call: Call): Promise<ExitCode> {
  const { dataDir, store, isJson, terminal, words, options } = call;
  const [place = '', ...rest] = words;
  if (options.has('none') && rest.length > 0)
    throw new UsageError('bad-option', '--none removes the system prompt; give no text with it');
  return withPresentData({ dataDir, store, note: noteOf(terminal, isJson) }, async (loom) => {
    const { root } = await findPlace(loom, place);
    const state = await loom.open(root);
    const present = state.config.systemPrompt;
    if (rest.length === 0 && !options.has('none')) {
      if (isJson) terminal.out(`${JSON.stringify({ ok: true, root, system_prompt: present ?? null })}\n`);
      else if (present === undefined) noteOf(terminal, isJson)('This conversation has no system prompt.\n');
      else terminal.out(`${present}\n`);
      return EXIT.ok;
    }
    const isPiped = rest.length === 1 && rest[0] === '-';
    const text = isPiped ? await readValue(terminal, 'The system prompt', false) : rest.join(' ');
    const next = options.has('none') ? null : text;
    const price = await priceOf(loom, state, next);
    if (price !== undefined) noteOf(terminal, isJson)(`${price}\n`);
    if (price !== undefined && terminal.input.isTTY === true && !isJson && !options.has('yes')) {
      if (/^\s*n/iu.test(await terminal.ask('Change it? [Y/n] '))) return EXIT.failed;
    }
    orFail(await loom.call('root.configure', { root, config: { systemPrompt: next } }));
    if (isJson) terminal.out(`${JSON.stringify({ ok: true, root, system_prompt: next, before: present ?? null })}\n`);
    else terminal.out(next === null ? 'Removed the system prompt.\n' : 'Changed the system prompt.\n');
    return EXIT.ok;
  });
}

/** The price for all branches: each passes through one of the first messages. */
async function priceOf(loom: Loom, state: RootState, next: string | null): Promise<string | undefined> {
  const costs = [];
  for (const { id } of liveChildren(state, state.id))
    costs.push(...orFail(await loom.call('context.cost', { node: id, system_prompt: next })).costs);
  return wordPromptPrice(costs);
}
