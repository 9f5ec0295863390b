import { useSyncExternalStore } from 'react';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { useStore } from '../stores/use-store.ts';
import { isMode } from './mode-words.ts';
import type { Mode } from './mode-words.ts';
import { useWorkHost } from './work-host.ts';

/** The folder and mode in force: those of the open conversation, else those of the one that is begun next. */
export interface WorkPlace {
  readonly folder: string;
  readonly mode: Mode;
  /** The tools of the model's provider that are on. */
  readonly providerTools: readonly string[];
  /** True if models read the AGENTS.md or CLAUDE.md of the folder. */
  readonly hasInstructions: boolean;
  /** The conversation; `undefined` for the one that is begun next. */
  readonly root: string | undefined;
}

export function useWorkPlace(): WorkPlace {
  const { conversation, beginning } = useWorkHost();
  const open = useStore(conversation);
  const folder = useStore(beginning.folder);
  const usual = useStore(beginning.usualMode);
  const mode = useStore(beginning.mode) ?? usual;
  const config = useConfig(open);
  const begun = useStore(beginning.providerTools);
  const hasInstructions = useStore(beginning.hasInstructions);
  if (open === undefined) return { folder, mode, providerTools: begun, hasInstructions, root: undefined };
  const { directory, approval_mode: chosen, provider_tools: own, instructions } = config;
  return {
    folder: typeof directory === 'string' ? directory : '',
    // A conversation without one asks.
    mode: isMode(chosen) ? chosen : 'ask',
    providerTools: Array.isArray(own) ? own.filter((name) => typeof name === 'string') : [],
    hasInstructions: instructions !== false,
    root: open.root,
  };
}

const nothing = {};
const never = (): (() => void) => () => {};

function useConfig(open: OpenConversation | undefined): Readonly<Record<string, unknown>> {
  return useSyncExternalStore(
    open?.watch.whole.subscribe ?? never,
    () => open?.watch.whole.getSnapshot().root.config ?? nothing,
  );
}
