import { createContext, use } from 'react';
import type { ParamsOf, ResultOf } from '@loom/kernel';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import type { ReadableStore, Store } from '../stores/store.ts';
import type { OfferedTools } from '../models/offered-tools.ts';
import type { KnownModels } from '../models/models.ts';
import type { Answerers } from '../models/picked.ts';
import type { Beginning } from './beginning.ts';

/** The services that folders, modes, permissions, running commands and reviews need from the page around them. */
export interface WorkHost {
  /** Calls an operation; rejects with words for the reader. The caller reads the result. */
  readonly ask: (name: string, params: unknown) => Promise<unknown>;
  /** Calls an operation of the kernel; rejects with words for the reader. */
  readonly call: <Name extends string>(name: Name, params: ParamsOf<Name>) => Promise<ResultOf<Name>>;
  /** Does something that the reader asked for, and reports failures. */
  readonly attempt: (work: () => Promise<unknown>) => void;
  readonly tell: (text: string, action?: { readonly label: string; readonly run: () => void }) => void;
  /** Returns the reader's role: `reader`, `appender`, `writer` or `owner`. */
  readonly role: () => Promise<string>;
  /** Returns the names of the operations that the server has and the reader may use. */
  readonly operations: () => Promise<ReadonlySet<string>>;
  /** The agent name of the reader's changes. */
  readonly agent: string;
  readonly beginning: Beginning;
  readonly conversation: ReadableStore<OpenConversation | undefined>;
  /** The tools that the chosen model is offered in the conversation on display. */
  readonly tools: OfferedTools;
  /** The models that answer next. */
  readonly answerers: ReadableStore<Answerers>;
  /** The models and providers that the server knows. */
  readonly known: ReadableStore<KnownModels>;
  readonly focusComposer: () => void;
  /** True while the inspector is shown. */
  readonly hasInspector: Store<boolean>;
  /** True while single letters act. */
  readonly hasLetterKeys: ReadableStore<boolean>;
  /** Says something at the end of the branch on display, and lets the chosen model answer; one that is at work hears it at once. */
  readonly say: (text: string) => Promise<void>;
  /** Shows the changes of a turn or a branch, from a file on; `isSame` if only the scope becomes another one. */
  readonly openReview: (
    place: { readonly node: string; readonly scope: 'turn' | 'branch'; readonly file?: string },
    options?: { readonly isSame?: boolean },
  ) => void;
  readonly showConversation: (root: string) => void;
  /** Shows a message on its branch. */
  readonly showNode: (root: string, node: string) => void;
  /** The block that is open for writing in its place. */
  readonly openBlock: ReadableStore<{ readonly block: string } | undefined>;
  /** Shows a text alone on the page. */
  readonly openText: (root: string, block: string) => void;
  /** Goes back to the conversation. */
  readonly leaveReview: () => void;
}

export const WorkHostContext = createContext<WorkHost | undefined>(undefined);

export function useWorkHost(): WorkHost {
  const host = use(WorkHostContext);
  if (host === undefined) throw new Error('this component stands outside of WorkHostContext');
  return host;
}
