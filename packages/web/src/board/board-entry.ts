import { nameOf } from '../navigator/navigator-rows.ts';
import type { WaitingCall } from '../tray/waiting-calls.ts';
import type { BoardRow as Row } from './board.ts';
import type { BoardItem } from './board-items.ts';
import type { FolderFacts } from './folder-facts.ts';

/** The services and the state that rows and cards of the board share. */
export interface BoardEntryProps {
  item: BoardItem;
  calls: readonly WaitingCall[];
  folder: FolderFacts | undefined;
  now: number;
  /** True if keys act on it. */
  isCurrent: boolean;
  isDeciding: boolean;
  onCurrent: () => void;
  onDecide: () => void;
  onStop: () => void;
}

export function titleOf({ root_title: title, opening }: Row): string {
  return nameOf({ ...(title === undefined ? {} : { title }), opening });
}

export function placeOf({ root, node }: Row): { name: 'conversation'; root: string; node: string } {
  return { name: 'conversation', root, node };
}
