import type { ParamsOf, ResultOf } from '@loom/kernel';
import type { Models } from '../../models/models.ts';
import type { ReadableStore } from '../../stores/store.ts';
import { count } from '../../words/amounts.ts';
import { RefusedError } from '../../words/failures.ts';
import type { Beginning } from '../../work/beginning.ts';
import type { ComposerState } from '../composer-state.ts';
import type { NamedPrompt, OfferedCommand } from './slash.ts';

/** The parts of the page that prompts need. */
export interface PromptHost {
  /** Calls an operation; rejects with words for the reader. */
  readonly ask: <Name extends string>(name: Name, params: ParamsOf<Name>) => Promise<ResultOf<Name>>;
  readonly composer: Pick<ComposerState, 'draft' | 'write'>;
  readonly notices: { readonly tell: (text: string) => void };
  readonly models: Pick<Models, 'answerers' | 'known'>;
  readonly conversation: ReadableStore<{ readonly root: string } | undefined>;
  readonly beginning: Pick<Beginning, 'folder'>;
  readonly blocks: { readonly role: () => Promise<string> };
}

/** Returns the prompts of the library that can be used here. Of several with one name only the first counts. */
export async function listPrompts(host: PromptHost): Promise<OfferedCommand[]> {
  const { items } = await host.ask('prompt.list', await scopeOf(host));
  return items
    .filter(({ hidden }) => hidden !== true)
    .map(({ name, description, argument_hint: takes }) => {
      return { name, about: description, isPrompt: true, ...(takes === undefined ? {} : { takes }) };
    });
}

/**
 * Puts the text of a prompt into the field, to be read before it is sent. What names no prompt is said as it is: agents have commands, and a path may
 * begin a message.
 */
export async function usePrompt(
  host: PromptHost,
  { name, words }: NamedPrompt,
  say: () => Promise<void>,
): Promise<void> {
  if (isOfAgent(host, name)) return say();
  const { composer, notices } = host;
  const typed = composer.draft.getSnapshot().text;
  const filled = await fill(host, name, words);
  if (filled === undefined) return say();
  // Keeps the words typed meanwhile.
  if (composer.draft.getSnapshot().text !== typed) return undefined;
  composer.write(filled.text);
  const notes = [
    ...(filled.missing.length === 0 ? [] : [`Still to fill in: ${filled.missing.join(', ')}.`]),
    ...(filled.commands.length === 0
      ? []
      : [`Its file would run ${count(filled.commands.length, 'command')}; Loom runs none of them.`]),
    ...(filled.model === undefined ? [] : [`It is meant for ${filled.model}.`]),
  ];
  if (notes.length > 0) notices.tell(notes.join(' '));
  return undefined;
}

async function fill(host: PromptHost, name: string, words: string) {
  try {
    const scope = await scopeOf(host);
    const { items } = await host.ask('prompt.list', scope);
    if (!items.some((prompt) => prompt.name === name)) return undefined;
    return await host.ask('prompt.fill', { name, arguments: words, ...scope });
  } catch (error) {
    // Without the server a message waits in the outbox; it must not be lost for a prompt that may not exist.
    if (!(error instanceof RefusedError)) return undefined;
    throw error;
  }
}

function isOfAgent({ models }: PromptHost, name: string): boolean {
  const provider = models.answerers.getSnapshot().models[0]?.provider;
  const known = models.known.getSnapshot().providers.find((one) => one.name === provider);
  return known?.commands?.some((command) => command.name === name) === true;
}

/** Returns the open conversation, else the folder of the one to come. */
async function scopeOf(host: PromptHost): Promise<Pick<ParamsOf<'prompt.list'>, 'root' | 'directory'>> {
  const open = host.conversation.getSnapshot();
  if (open !== undefined) return { root: open.root };
  const directory = host.beginning.folder.getSnapshot();
  if (directory === '') return {};
  return (await host.blocks.role().catch(() => '')) === 'owner' ? { directory } : {};
}
