/** The area in which a key acts. */
export type KeyArea = 'anywhere' | 'page' | 'composer' | 'timeline' | 'tree' | 'board' | 'list' | 'editor';

export interface KeyBinding {
  readonly area: KeyArea;
  readonly command: string;
  /** The keys: `+` joins those held together, a space those pressed one after the other. */
  readonly keys: readonly string[];
  /** Its effect, for the sheet of shortcuts. */
  readonly words: string;
}

/** Every key that the page knows. The key handler, the sheet of shortcuts and the tests read this table. */
export const keyMap = [
  { area: 'anywhere', command: 'search', keys: ['Ctrl+K'], words: 'Search and commands' },
  { area: 'anywhere', command: 'undo', keys: ['Ctrl+Z'], words: 'Undo mine' },
  { area: 'anywhere', command: 'redo', keys: ['Ctrl+Shift+Z'], words: 'Redo' },

  { area: 'page', command: 'shortcuts', keys: ['?'], words: 'Shortcuts' },
  { area: 'page', command: 'new-conversation', keys: ['N'], words: 'New conversation' },
  { area: 'page', command: 'composer', keys: ['I', 'Esc'], words: 'Write a message' },
  { area: 'page', command: 'inspector', keys: ['P'], words: 'Show or hide the inspector' },
  { area: 'page', command: 'tree', keys: ['G T'], words: 'Go to the tree' },
  { area: 'page', command: 'needs-you', keys: ['G N'], words: 'Go to what needs you' },
  { area: 'page', command: 'agents', keys: ['G A'], words: 'Go to agents at work' },
  { area: 'page', command: 'conversations', keys: ['G C'], words: 'Go to all conversations' },
  { area: 'page', command: 'usage', keys: ['G U'], words: 'Go to usage' },
  { area: 'page', command: 'settings', keys: ['G S'], words: 'Go to settings' },
  { area: 'page', command: 'previous-conversation', keys: [','], words: 'Previous conversation' },
  { area: 'page', command: 'next-conversation', keys: ['.'], words: 'Next conversation' },

  { area: 'timeline', command: 'next', keys: ['J'], words: 'Next block' },
  { area: 'timeline', command: 'previous', keys: ['K'], words: 'Previous block' },
  { area: 'timeline', command: 'next-person', keys: ['Shift+J'], words: 'Next message of a person' },
  { area: 'timeline', command: 'previous-person', keys: ['Shift+K'], words: 'Previous message of a person' },
  { area: 'timeline', command: 'previous-sibling', keys: ['ArrowLeft'], words: 'Branch to the left' },
  { area: 'timeline', command: 'next-sibling', keys: ['ArrowRight'], words: 'Branch to the right' },
  { area: 'timeline', command: 'open', keys: ['O'], words: 'Open or fold' },
  { area: 'timeline', command: 'edit', keys: ['E'], words: 'Edit' },
  { area: 'timeline', command: 'fork', keys: ['F'], words: 'New branch after this block' },
  { area: 'timeline', command: 'regenerate', keys: ['R'], words: 'Answer again on a new branch' },
  { area: 'timeline', command: 'exclude', keys: ['X'], words: 'Leave out, or include again' },
  { area: 'timeline', command: 'context-start', keys: ['S'], words: 'Start the context here' },
  { area: 'timeline', command: 'bookmark', keys: ['B'], words: 'Bookmark' },
  { area: 'timeline', command: 'copy', keys: ['C'], words: 'Copy' },
  { area: 'timeline', command: 'mark', keys: ['M'], words: 'Mark to compare' },
  { area: 'timeline', command: 'history', keys: ['H'], words: 'History of the block' },
  { area: 'timeline', command: 'authorship', keys: ['A'], words: 'Who wrote what' },
  { area: 'timeline', command: 'delete', keys: ['Delete'], words: 'Delete with what is below' },
  { area: 'timeline', command: 'thinking', keys: ['T'], words: 'Show or hide thinking' },
  { area: 'timeline', command: 'kinds', keys: ['V'], words: 'Choose which kinds are shown' },
  { area: 'timeline', command: 'find', keys: ['/'], words: 'Find in this conversation' },
  { area: 'timeline', command: 'latest', keys: ['End'], words: 'Latest message' },

  { area: 'tree', command: 'tree-down', keys: ['ArrowDown'], words: 'Down' },
  { area: 'tree', command: 'tree-up', keys: ['ArrowUp'], words: 'Up' },
  { area: 'tree', command: 'tree-right', keys: ['ArrowRight'], words: 'Open, then the first below' },
  { area: 'tree', command: 'tree-left', keys: ['ArrowLeft'], words: 'Fold, then the one above' },
  { area: 'tree', command: 'tree-first', keys: ['Home'], words: 'First' },
  { area: 'tree', command: 'tree-last', keys: ['End'], words: 'Last' },
  {
    area: 'tree',
    command: 'tree-go',
    keys: ['Enter'],
    words: 'Go on from there; a message of yours comes into the field',
  },
  { area: 'tree', command: 'tree-show', keys: ['O'], words: 'Show it on its branch' },
  { area: 'tree', command: 'tree-label', keys: ['L'], words: 'Title and tags' },
  { area: 'tree', command: 'tree-bookmark', keys: ['B'], words: 'Bookmark' },
  { area: 'tree', command: 'tree-mark', keys: ['M'], words: 'Mark to compare' },
  { area: 'tree', command: 'tree-filter', keys: ['/'], words: 'Filter' },

  { area: 'board', command: 'board-next', keys: ['J', 'ArrowDown'], words: 'Next turn; Enter opens it' },
  { area: 'board', command: 'board-previous', keys: ['K', 'ArrowUp'], words: 'Previous turn' },
  { area: 'board', command: 'board-decide', keys: ['D'], words: 'Decide, here' },
  { area: 'board', command: 'board-stop', keys: ['S'], words: 'Stop it' },

  { area: 'list', command: 'list-down', keys: ['ArrowDown'], words: 'Next conversation; Enter opens it' },
  { area: 'list', command: 'list-up', keys: ['ArrowUp'], words: 'Previous conversation' },
  { area: 'list', command: 'list-open', keys: ['ArrowRight'], words: 'Open the group' },
  { area: 'list', command: 'list-fold', keys: ['ArrowLeft'], words: 'Fold the group' },
  { area: 'list', command: 'list-select', keys: ['Space'], words: 'Select; in the navigator: show its facts' },
  { area: 'list', command: 'list-select-all', keys: ['Ctrl+A'], words: 'Select all that match' },
  { area: 'list', command: 'list-pin', keys: ['*'], words: 'Pin' },
  { area: 'list', command: 'list-archive', keys: ['#'], words: 'Archive' },
  { area: 'list', command: 'list-rename', keys: ['F2'], words: 'Rename' },
  { area: 'list', command: 'list-filter', keys: ['/'], words: 'Filter' },

  { area: 'composer', command: 'send', keys: ['Enter'], words: 'Send; while a model runs: steer it' },
  { area: 'composer', command: 'new-line', keys: ['Shift+Enter'], words: 'New line' },
  { area: 'composer', command: 'append', keys: ['Ctrl+Enter'], words: 'Append without an answer' },
  { area: 'composer', command: 'queue', keys: ['Alt+Enter'], words: 'Queue for after this turn' },
  { area: 'composer', command: 'stop', keys: ['Esc'], words: 'Stop the model' },
  { area: 'composer', command: 'edit-last', keys: ['ArrowUp'], words: 'When empty: edit the last message' },
  { area: 'composer', command: 'slash', keys: ['/'], words: 'Commands' },
  { area: 'composer', command: 'insert', keys: ['@'], words: 'Insert a block' },
  { area: 'composer', command: 'to-messages', keys: ['Shift+Tab'], words: 'To the messages' },

  { area: 'editor', command: 'save', keys: ['Ctrl+Enter'], words: 'Save' },
  { area: 'editor', command: 'close', keys: ['Esc'], words: 'Close; what was typed is kept' },
] as const satisfies readonly KeyBinding[];

export type CommandName = (typeof keyMap)[number]['command'];

/** The names of the areas. */
export const areaNames: { readonly [Area in KeyArea]: string } = {
  anywhere: 'Anywhere',
  page: 'Messages, tree and lists',
  timeline: 'Messages',
  tree: 'Tree',
  board: 'Agents at work',
  list: 'Conversations',
  composer: 'Message field',
  editor: 'Editor',
};

const signs: Record<string, string> = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓' };

/** The key of a command as it is shown: `Ctrl Shift Z`, `G T`, `←`. */
export function shownKey(key: string): string {
  return key
    .split(/[+ ]/u)
    .map((part) => signs[part] ?? part)
    .join(' ');
}

export function keyOf(command: CommandName): string {
  const found = keyMap.find((binding) => binding.command === command);
  return found === undefined ? '' : shownKey(found.keys[0]);
}
