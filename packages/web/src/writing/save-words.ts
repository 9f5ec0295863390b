import type { SaveState } from '../editor/save-state.ts';
import { count } from '../words/amounts.ts';
import { clockTime } from '../words/times.ts';

export interface SaveWords {
  readonly mark: 'rest' | 'busy' | 'away' | 'done';
  readonly text: string;
}

/** Words the state of an edited text. `isKept`: this browser takes what is typed. */
export function saveWords(state: SaveState, version: number, isKept = true): SaveWords {
  switch (state.is) {
    case 'opening':
      return state.isAway
        ? { mark: 'away', text: 'The server does not answer. You can read and select.' }
        : { mark: 'busy', text: 'Opening… you can read and select' };
    case 'saved':
      return { mark: 'rest', text: `Saved · version ${version}` };
    case 'saving':
      return { mark: 'busy', text: 'Saving' };
    case 'unsaved':
      return { mark: 'away', text: isKept ? 'Not saved yet, kept on this computer' : `Not saved yet. ${onlyHere}` };
    case 'offline': {
      const since = `Offline since ${clockTime(state.since)}.`;
      const { edits } = state;
      if (!isKept) return { mark: 'away', text: `${since} ${onlyHere}` };
      if (edits === 0) return { mark: 'away', text: `${since} You can keep writing.` };
      return {
        mark: 'away',
        text: `${since} ${count(edits, 'edit')} ${edits === 1 ? 'is' : 'are'} kept on this computer and will be merged.`,
      };
    }
    case 'merged': {
      const beside = state.others === 0 ? '' : ` with ${count(state.others, 'change')} of others`;
      return { mark: 'done', text: `${count(state.edits, 'edit')} merged${beside}. Nothing was lost.` };
    }
  }
}

const onlyHere = 'Do not close this window: the browser has no room to keep what you type.';
