import { useLoom } from '../app/loom-context.ts';
import { focusComposer } from '../composer/focus.ts';
import { useBringCommands } from './use-commands.ts';

/** Registers the commands of keys that work wherever the reader is. */
export function usePageCommands(): void {
  const { go, list, place, preferences, workspace } = useLoom();
  const step = (by: 1 | -1) => () => {
    const { items } = list.getSnapshot();
    const here = place.getSnapshot();
    const at = here.name === 'conversation' ? items.findIndex(({ id }) => id === here.root) : -1;
    const next = items[at < 0 ? 0 : at + by];
    if (next !== undefined) go({ name: 'conversation', root: next.id });
  };
  useBringCommands({
    shortcuts: () => workspace.hasShortcuts.set(true),
    'new-conversation': () => go({ name: 'new' }),
    composer: focusComposer,
    inspector: () => preferences.hasInspector.update((isShown) => !isShown),
    'needs-you': () => go({ name: 'needs-you' }),
    conversations: () => go({ name: 'conversations' }),
    agents: () => go({ name: 'agents' }),
    usage: () => go({ name: 'usage' }),
    settings: () => go({ name: 'settings' }),
    'previous-conversation': step(-1),
    'next-conversation': step(1),
  });
}
