import type { BlockHost } from '../blocks/block-host.ts';
import { ContentRow } from '../blocks/ContentRow.tsx';
import { Folds } from '../blocks/folding/folds.ts';
import { EditorPreference } from '../blocks/paths/editor-preference.ts';
import type { DiffView } from '../app/preferences.ts';
import { Store } from '../stores/store.ts';

/** A page that does nothing: for blocks that are only looked at. */
export function madeUpHost(): BlockHost {
  return {
    agent: 'person',
    folder: () => '~/code/tides',
    home: async () => undefined,
    folds: new Folds(),
    answers: new Map(),
    diffView: new Store<DiffView>('unified'),
    editor: new EditorPreference({ ask: async () => ({ items: [] }) }),
    readBlob: async () => new Blob([longOutput], { type: 'text/plain' }),
    readRange: async (_id, start, end) => new TextEncoder().encode(longOutput).subarray(start, end),
    decide: async () => {},
    connection: () => connection,
    role: async () => 'owner',
    retry: () => {},
    resume: () => {},
    canRunAgain: (tool) => tool === 'run_command',
    runAgain: () => {},
    commands: { runAgain: () => {}, stop: () => {}, moveToBackground: () => {} },
    tellWriters: () => {},
    openChild: () => undefined,
    ChildRow: ContentRow,
  };
}

const connection = new Store({ status: 'live' });

const longOutput = Array.from({ length: 3000 }, (_, index) => `package-${index + 1}@1.0.${index % 10}`).join('\n');
