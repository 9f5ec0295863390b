import type { Loom } from '../app/loom.ts';
import { switchTheme } from '../app/switch-theme.ts';
import { exportWishHere } from '../exporting/export-place.ts';
import { keyMap, shownKey } from '../keys/key-map.ts';
import type { CommandName } from '../keys/key-map.ts';
import type { IconName } from '../ui/Icon.tsx';

/** An action available now, in whatever way it is invoked. */
export interface Action {
  readonly id: string;
  readonly label: string;
  readonly icon: IconName;
  /** The key that does the same. */
  readonly keys?: string;
  readonly run: () => void;
}

/** Commands of the key map that stand in the palette too, as they are called there. Moving about is for keys alone. */
const offered: { readonly [Name in CommandName]?: { readonly label: string; readonly icon: IconName } } = {
  'new-conversation': { label: 'New conversation', icon: 'plus' },
  'needs-you': { label: 'Show what needs you', icon: 'needs' },
  conversations: { label: 'Show all conversations', icon: 'list' },
  agents: { label: 'Show agents at work', icon: 'board' },
  usage: { label: 'Show usage', icon: 'usage' },
  settings: { label: 'Open settings', icon: 'settings' },
  shortcuts: { label: 'Show shortcuts', icon: 'keyboard' },
  composer: { label: 'Write a message', icon: 'edit' },
  inspector: { label: 'Show or hide the inspector', icon: 'inspector' },
  tree: { label: 'Go to the tree', icon: 'tree' },
  undo: { label: 'Undo my last change', icon: 'again' },
  redo: { label: 'Redo', icon: 'again' },
  edit: { label: 'Edit the current message', icon: 'edit' },
  fork: { label: 'Fork from here', icon: 'fork' },
  regenerate: { label: 'Regenerate', icon: 'again' },
  bookmark: { label: 'Bookmark the current message', icon: 'bookmark' },
  copy: { label: 'Copy the current block', icon: 'copy' },
  mark: { label: 'Mark to compare', icon: 'compare' },
  history: { label: 'Show the history of the block', icon: 'clock' },
  thinking: { label: 'Show or hide thinking', icon: 'eye' },
  kinds: { label: 'Choose which kinds are shown', icon: 'eye' },
  latest: { label: 'Go to the latest message', icon: 'down' },
};

/** Returns the actions available at the moment. */
export function actionsNow(loom: Loom): Action[] {
  const { commands, go, preferences } = loom;
  const { dialog } = loom.workspace;
  const known = keyMap.flatMap(({ command, keys }): Action[] => {
    const words = offered[command];
    if (words === undefined || !commands.has(command)) return [];
    return [{ id: command, ...words, keys: shownKey(keys[0]), run: () => void commands.run(command) }];
  });
  const wish = exportWishHere(loom);
  const giving: Action[] =
    wish === undefined
      ? []
      : [
          { id: 'share', label: 'Share…', icon: 'globe', run: () => dialog.set({ what: 'share', ...wish }) },
          { id: 'export', label: 'Export…', icon: 'download', run: () => loom.exporting.set(wish) },
          {
            id: 'continue',
            label: 'Continue in Claude Code or Codex…',
            icon: 'command',
            run: () => loom.exporting.set({ ...wish, isSession: true }),
          },
          {
            id: 'secrets-here',
            label: 'Look for secrets in this conversation…',
            icon: 'shield',
            run: () => dialog.set({ what: 'secrets', root: wish.root }),
          },
          {
            id: 'system-prompt',
            label: 'Show the system prompt…',
            icon: 'message',
            run: () => dialog.set({ what: 'system-prompt', root: wish.root }),
          },
        ];
  return [
    ...known,
    ...giving,
    {
      id: 'import',
      label: 'Import sessions…',
      icon: 'import',
      run: () => go({ name: 'settings', section: 'import' }),
    },
    {
      id: 'secrets',
      label: 'Look for secrets in all conversations…',
      icon: 'shield',
      run: () => dialog.set({ what: 'secrets' }),
    },
    { id: 'blame', label: 'Who wrote a line of a file…', icon: 'file', run: () => dialog.set({ what: 'blame' }) },
    { id: 'shares', label: 'Show shared links', icon: 'globe', run: () => go({ name: 'settings', section: 'shares' }) },
    {
      id: 'prompts',
      label: 'Show the library of prompts',
      icon: 'message',
      run: () => go({ name: 'settings', section: 'prompts' }),
    },
    { id: 'bookmarks', label: 'Show bookmarks', icon: 'bookmark', run: () => go({ name: 'bookmarks' }) },
    { id: 'theme', label: 'Switch theme', icon: 'theme', run: () => switchTheme(preferences.theme) },
    { id: 'deleted', label: 'Restore deleted conversations…', icon: 'trash', run: () => loom.hasDeleted.set(true) },
  ];
}
