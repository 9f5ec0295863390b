import type { BlockText } from '@loom/blocks/document';
import type { RootState } from '../../../state/root-state.ts';
import type { Store } from '../../../store.ts';

/** The means to edit the texts of one root. It lives as long as the state that it belongs to. */
export interface TextEditor {
  /** The id under which texts are edited. A state that was dropped takes its id along: it is never used again. */
  readonly client: number;
  /** The text document of a block that has an editable text. Throws `Unprepared` if it has to be built first. */
  open(state: RootState, block: string): BlockText;
}

/** Loads what only editing needs. */
export async function createTextEditor(store: Pick<Store, 'nextClientId'>): Promise<TextEditor> {
  const client = await store.nextClientId();
  const { openText, readAtOnce } = await import('./open-text.ts');
  return { client, open: (state, block) => openText(state, block, readAtOnce) };
}
