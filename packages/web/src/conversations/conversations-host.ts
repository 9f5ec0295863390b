import { createContext, use } from 'react';
import type { ReactElement } from 'react';
import type { ParamsOf, ResultOf } from '@loom/kernel';
import type { ListView } from '@loom/sync';
import type { Away } from '../navigator/away.ts';
import type { Pins } from '../navigator/pins.ts';
import type { ProjectList } from '../navigator/project-list.ts';
import type { ReadableStore, Store } from '../stores/store.ts';
import type { Grouping } from './filters.ts';

/** The services that the page of all conversations needs from the page around it. */
export interface ConversationsHost {
  /** Calls an operation; rejects with words for the reader. */
  readonly ask: <Name extends string>(name: Name, params: ParamsOf<Name>) => Promise<ResultOf<Name>>;
  /** Does something that the reader asked for, and reports failures. */
  readonly attempt: (work: () => Promise<unknown>) => void;
  readonly notices: { readonly tell: (text: string) => void };
  readonly readBlob: (blob: string, mediaType: string) => Promise<Blob>;
  /** The list of conversations as it is kept up to date, with the jobs that go on. */
  readonly list: ReadableStore<ListView>;
  readonly away: Away;
  readonly pins: Pins;
  readonly projects: ProjectList;
  readonly grouping: Store<Grouping>;
  /** The filters as the address has them, and how to write others into it. */
  readonly filters: string;
  readonly onFilters: (written: string) => void;
  readonly hasLetterKeys: ReadableStore<boolean>;
  /** The button that opens the navigator where it is a drawer. */
  readonly navigatorButton: ReactElement;
}

export const ConversationsHostContext = createContext<ConversationsHost | undefined>(undefined);

export function useConversationsHost(): ConversationsHost {
  const host = use(ConversationsHostContext);
  if (host === undefined) throw new Error('this component stands outside of ConversationsHostContext');
  return host;
}
