import { keptStore } from '../stores/kept-store.ts';
import type { TextStorage } from '../stores/kept-store.ts';
import { Store } from '../stores/store.ts';
import { isMode } from './mode-words.ts';
import type { Mode } from './mode-words.ts';

const providerNames = ['web_search', 'code_execution'] as const;
type ProviderTool = (typeof providerNames)[number];

/** The config that the page gives a new conversation, beside the prompt. */
type BegunConfig = {
  directory?: string;
  approval_mode?: Mode;
  tools?: string[];
  provider_tools?: ProviderTool[];
  instructions?: false;
};

/** The folder and the mode of the conversation that is begun next. The folder is kept for the next visit, the mode is not. */
export class Beginning {
  /** The absolute path of the folder; empty for none. */
  readonly folder: Store<string>;
  /** True if the conversation gets a new worktree of the folder's repository. */
  readonly isInWorktree = new Store(false);
  /** The mode of conversations for which none is chosen. */
  readonly usualMode: Store<Mode>;
  /** The mode that was chosen; `undefined` for the usual one. */
  readonly mode = new Store<Mode | undefined>(undefined);
  /** The names of the tools that were chosen; `undefined` for those that are offered. */
  readonly tools = new Store<readonly string[] | undefined>(undefined);

  /** The tools of the model's provider that are on. */
  readonly providerTools = new Store<readonly string[]>([]);

  /** True if models read the AGENTS.md or CLAUDE.md of the folder. */
  readonly hasInstructions = new Store(true);

  constructor(storage: TextStorage) {
    this.folder = keptStore(storage, 'loom-folder', {
      read: (value) => (typeof value === 'string' ? value : undefined),
      otherwise: '',
    });
    this.usualMode = keptStore<Mode>(storage, 'loom-mode', {
      read: (value) => (isMode(value) ? value : undefined),
      otherwise: 'ask',
    });
    this.folder.subscribe(() => this.isInWorktree.set(false));
  }

  /** The config of the conversation. */
  config(): BegunConfig {
    const folder = this.folder.getSnapshot();
    const mode = this.mode.getSnapshot() ?? this.usualMode.getSnapshot();
    const tools = this.tools.getSnapshot();
    const own = providerNames.filter((name) => this.providerTools.getSnapshot().includes(name));
    return {
      ...(folder === '' ? {} : { directory: folder }),
      // Without one a conversation asks.
      ...(mode === 'ask' ? {} : { approval_mode: mode }),
      ...(tools === undefined ? {} : { tools: [...tools] }),
      ...(own.length === 0 ? {} : { provider_tools: own }),
      ...(this.hasInstructions.getSnapshot() ? {} : { instructions: false as const }),
    };
  }

  /** Returns the config, and forgets what was meant for this one conversation. */
  take(): BegunConfig {
    const config = this.config();
    this.mode.set(undefined);
    this.tools.set(undefined);
    this.providerTools.set([]);
    this.hasInstructions.set(true);
    this.isInWorktree.set(false);
    return config;
  }
}
