import { createContext, use } from 'react';
import type { ComponentType } from 'react';
import type { ParamsOf } from '@loom/kernel';
import { LoomContext } from '../app/loom-context.ts';
import type { DiffView } from '../app/preferences.ts';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import type { Row } from '../conversation/rows.ts';
import type { ReadableStore, Store } from '../stores/store.ts';
import type { AnswerDraft } from './ask/questions-of.ts';
import type { Folds } from './folding/folds.ts';
import type { EditorPreference } from './paths/editor-preference.ts';

/** A person's decision about a call that waits: `arguments` are the exact ones that the person saw. */
export type Decision = ParamsOf<'turn.decide'>;

/** The things that a person may do with a command of Loom. */
export interface CommandActions {
  /** Runs the command that a result shows once more, and shows the new result. */
  readonly runAgain: (node: string, command: string) => void;
  readonly stop: (node: string) => void;
  readonly moveToBackground: (node: string) => void;
}

/** The services that blocks need from the page around them; samples replace only these. */
export interface BlockHost {
  /** The agent name of the reader's changes. */
  readonly agent: string;
  /** The folder that the tools of the conversation work in, if that is known. */
  readonly folder: () => string | undefined;
  /** Returns the home folder on the server, for short paths; `undefined` if the reader may not know it. */
  readonly home: () => Promise<string | undefined>;
  readonly folds: Folds;
  /** The answers begun and not given yet, by node: a card that leaves the screen keeps them. */
  readonly answers: Map<string, readonly AnswerDraft[]>;
  readonly diffView: Store<DiffView>;
  /** The program that the reader opens files with. */
  readonly editor: EditorPreference;
  readonly readBlob: (id: string, type: string) => Promise<Blob>;
  /** Reads some bytes of a blob; `end` is behind the last. */
  readonly readRange: (id: string, start: number, end: number) => Promise<Uint8Array>;
  readonly decide: (decision: Decision) => Promise<void>;
  /** The connection to the server: without it nothing can be decided. */
  readonly connection: () => ReadableStore<{ readonly status: string }>;
  /** Returns the reader's role: `reader`, `appender`, `writer` or `owner`. */
  readonly role: () => Promise<string>;
  /** Lets a model answer once more what leads to a node; `undefined` for readers who may only look. */
  readonly retry: ((node: string) => void) | undefined;
  /** Lets a model go on from the end of a node, for the same readers. */
  readonly resume: ((node: string, isBeyondLimits?: boolean) => void) | undefined;
  /** Calls a tool again with the same arguments, where that is possible. */
  readonly canRunAgain: (tool: string) => boolean;
  readonly runAgain: (tool: string, written: string) => void;
  /** Acts on a command that Loom runs, or has run, in a folder; a result is named by its node. */
  readonly commands: CommandActions;
  /** Says which turns wrote the lines of a file, beginning with one that says `text`; `undefined` where files are not at hand. */
  readonly tellWriters:
    | ((place: { readonly path: string; readonly line?: number; readonly text?: string }) => void)
    | undefined;
  /** The conversation of a sub-agent; its reader closes it. */
  readonly openChild: (root: string) => OpenConversation | undefined;
  /** Draws a row of such a conversation. */
  readonly ChildRow: ComponentType<{ row: Row }>;
}

export const BlockHostContext = createContext<BlockHost | undefined>(undefined);

export function useBlockHost(): BlockHost {
  const loom = use(LoomContext);
  const host = use(BlockHostContext) ?? loom?.blocks;
  if (host === undefined) throw new Error('this component stands outside of LoomContext and BlockHostContext');
  return host;
}
