import { useEffect, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { useLoom } from '../../app/loom-context.ts';
import { useStore } from '../../stores/use-store.ts';
import { Icon } from '../../ui/Icon.tsx';
import { lazily } from '../../ui/lazily.ts';
import { useMay } from '../../work/use-may.ts';
import { askToSay } from '../ask-to-say.ts';
import { focusComposer } from '../focus.ts';
import type { Mention } from './mentions.ts';
import { doSlash } from './do-slash.ts';
import { loadPrompts } from './load-prompts.ts';
import { isNameBegun, mentionAt, suggestOffered, suggestSlash } from './slash.ts';
import type { OfferedCommand } from './slash.ts';
import type { Suggestion } from './Suggestions.tsx';

interface OfferedSuggestions {
  label: string;
  items: readonly Suggestion[];
  current: number;
  onPick: (index: number) => void;
  /** Returns true if the key was meant for the list. */
  onKey: (event: KeyboardEvent) => boolean;
}

/** Returns the suggestions for the text of the field: commands behind a slash, blocks and conversations behind an @. */
export function useSuggestions(text: string, caret: number): OfferedSuggestions {
  const loom = useLoom();
  const { composer } = loom;
  const mayAttach = useMay('folder.read_file') === true;
  const own = suggestSlash(text);
  const commands = [...own, ...suggestOffered(text, [...useAgentCommands(), ...usePrompts(isNameBegun(text))])];
  const mention = commands.length > 0 ? undefined : mentionAt(text, caret);
  const mentions = useMentions(mention?.query);
  const asked = commands.length > 0 ? text : mention === undefined ? '' : `@${mention.query}`;
  const [state, setState] = useState({ asked, current: 0, isClosed: false });
  const { current, isClosed } = state.asked === asked ? state : { current: 0, isClosed: false };
  const items = isClosed ? [] : commands.length > 0 ? commands.map(slashItem) : mentions.map(mentionItem);
  const move = (to: number): void => setState({ asked, current: (to + items.length) % items.length, isClosed: false });
  const onPick = (index: number): void => {
    const command = commands[index];
    const found = mentions[index];
    if (command !== undefined) {
      const loomsOwn = own[index];
      // The agent reads its command as a message.
      if (loomsOwn === undefined && 'isPrompt' in command && command.takes === undefined) {
        composer.write(`/${command.name}`);
        loom.attempt(async () => {
          const { usePrompt } = await loadPrompts();
          await usePrompt(loom, { name: command.name, words: '' }, () => askToSay(loom, 'run'));
        });
      } else if (loomsOwn === undefined || 'takes' in loomsOwn) composer.write(`/${command.name} `);
      else loom.attempt(() => doSlash(loom, { command: loomsOwn, words: '' }));
    } else if (found !== undefined && mention !== undefined) {
      // A file is named in the text, and goes with the message: a model without tools has nothing else of it.
      const named = found.kind === 'file' ? `${found.line} ` : '';
      composer.write(text.slice(0, mention.start) + named + text.slice(caret));
      if (found.kind !== 'file' || mayAttach)
        loom.attempt(async () => {
          const { attachedFile, quote } = await loadMentions();
          composer.attach(found.kind === 'file' ? await attachedFile(loom, found.line) : await quote(loom, found));
        });
    }
    focusComposer();
  };
  const onKey = (event: KeyboardEvent): boolean => {
    if (items.length === 0 || event.ctrlKey || event.altKey || event.metaKey) return false;
    const { key } = event;
    if (key === 'ArrowDown') move(current + 1);
    else if (key === 'ArrowUp') move(current - 1);
    else if (key === 'Escape') setState({ asked, current, isClosed: true });
    else if ((key === 'Enter' && !event.shiftKey) || (key === 'Tab' && !event.shiftKey)) onPick(current);
    else return false;
    event.preventDefault();
    return true;
  };
  return { label: commands.length > 0 ? 'Commands' : 'Insert', items, current, onPick, onKey };
}

/** Returns the commands of the agent that answers next; a model has none. */
function useAgentCommands(): readonly OfferedCommand[] {
  const { models } = useLoom();
  const [first] = useStore(models.answerers).models;
  const { providers } = useStore(models.known);
  return providers.find(({ name }) => name === first?.provider)?.commands ?? [];
}

/** Returns the prompts of the library, read anew each time that a name is begun. */
function usePrompts(isWanted: boolean): readonly OfferedCommand[] {
  const loom = useLoom();
  const [found, setFound] = useState<readonly OfferedCommand[]>([]);
  useEffect(() => {
    if (!isWanted) return undefined;
    let isHere = true;
    // Without the library the other commands are still offered.
    loadPrompts()
      .then(({ listPrompts }) => listPrompts(loom))
      .then((prompts) => isHere && setFound(prompts))
      .catch(() => {});
    return () => {
      isHere = false;
    };
  }, [loom, isWanted]);
  return found;
}

const loadMentions = lazily(() => import('./mentions.ts'));

/** Returns the results for the words behind an @; searches when they have stood still for a moment. */
function useMentions(query: string | undefined): readonly Mention[] {
  const loom = useLoom();
  const hasFiles = useMay('folder.files') === true;
  const [found, setFound] = useState<readonly Mention[]>([]);
  useEffect(() => {
    if (query === undefined) return undefined;
    let isStale = false;
    const timer = setTimeout(() => {
      loom.attempt(async () => {
        const { findMentions } = await loadMentions();
        const mentions = await findMentions(loom, query, hasFiles);
        if (!isStale) setFound(mentions);
      });
    }, 120);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [loom, query, hasFiles]);
  return query === undefined ? [] : found;
}

function slashItem(command: { name: string; takes?: string; about?: string | undefined }): Suggestion {
  const { name, takes, about } = command;
  return {
    key: name,
    content: (
      <>
        <code>/{name}</code>
        {takes !== undefined && <span className="suggestion-takes">{takes}</span>}
        <span className="grow cut suggestion-about">{about}</span>
      </>
    ),
  };
}

const mentionIcons = { block: 'message', conversation: 'tree', file: 'file' } as const;

function mentionItem({ key, kind, line, where }: Mention): Suggestion {
  return {
    key,
    content: (
      <>
        <Icon name={mentionIcons[kind]} />
        <span className="grow cut">{line}</span>
        <span className="cut suggestion-where">{where}</span>
      </>
    ),
  };
}
