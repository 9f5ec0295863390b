import type { BlockHost } from '../blocks/block-host.ts';
import { Folds } from '../blocks/folding/folds.ts';
import { EditorPreference } from '../blocks/paths/editor-preference.ts';
import { Store } from '../stores/store.ts';
import type { SharedLink } from './shared-link.ts';

/** Returns the services for blocks of a reader who may look, and do nothing else. */
export function readerHost(link: Pick<SharedLink, 'readBlob'>): BlockHost {
  return {
    agent: '',
    folder: () => undefined,
    home: async () => undefined,
    connection: () => connection,
    folds: new Folds(),
    answers: new Map(),
    diffView: new Store('unified'),
    // No file of a conversation from elsewhere is on this computer.
    editor: new EditorPreference({ ask: async () => ({ items: [] }) }),
    readBlob: async (id, type) => new Blob([await link.readBlob(id)], { type }),
    readRange: async (id, start, end) => new Uint8Array(await link.readBlob(id)).slice(start, end),
    decide: async () => {},
    role: async () => 'reader',
    retry: undefined,
    resume: undefined,
    canRunAgain: () => false,
    runAgain: () => {},
    commands: { runAgain: () => {}, stop: () => {}, moveToBackground: () => {} },
    tellWriters: undefined,
    openChild: () => undefined,
    ChildRow: () => null,
  };
}

/** Nothing is decided here, so the cards of calls need no connection. */
const connection = new Store({ status: 'live' });
