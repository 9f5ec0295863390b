import { createContext, use } from 'react';
import type { ParamsOf, ResultOf } from '@loom/kernel';
import type { ListView } from '@loom/sync';
import type { ReadableStore, Store } from '../stores/store.ts';
import type { Waiting } from '../tray/waiting-calls.ts';
import type { Looked } from './looked.ts';

/** The layout of the board. */
export type BoardLayout = 'list' | 'columns';

/** The services that the board needs from the page around it. */
export interface BoardHost {
  /** Calls an operation; rejects with words for the reader. */
  readonly ask: <Name extends string>(name: Name, params: ParamsOf<Name>) => Promise<ResultOf<Name>>;
  /** Does something that the reader asked for, and reports failures. */
  readonly attempt: (work: () => Promise<unknown>) => void;
  /** The list of conversations. */
  readonly list: ReadableStore<ListView>;
  /** The calls that wait for a person. */
  readonly waiting: ReadableStore<Waiting>;
  readonly looked: Looked;
  readonly layout: Store<BoardLayout>;
}

export const BoardHostContext = createContext<BoardHost | undefined>(undefined);

export function useBoardHost(): BoardHost {
  const host = use(BoardHostContext);
  if (host === undefined) throw new Error('this component stands outside of BoardHostContext');
  return host;
}
