import { folderName } from '../work/paths.ts';
import type { BoardRow } from './board.ts';
import type { BoardItem } from './board-items.ts';
import { speakerOf } from './board-words.ts';
import type { FolderFacts } from './folder-facts.ts';

/** A part of the board under a heading. */
export interface BoardSection {
  readonly name: string;
  readonly items: readonly BoardItem[];
  /** The order, where it is not the usual one. */
  readonly remark?: string;
  /** Its turns can be marked as looked at. */
  readonly canMark?: boolean;
}

/** Puts rows under their headings. In a list, turns that were looked at are left out; in columns they are done. */
export function arrange(
  items: readonly BoardItem[],
  layout: 'list' | 'columns',
  isLookedAt: (row: BoardRow) => boolean,
): BoardSection[] {
  const of = (part: BoardItem['part']): BoardItem[] => items.filter((item) => item.part === part);
  const fresh = of('finished').filter(({ row }) => !isLookedAt(row));
  const live = [
    { name: 'Needs you', items: of('needs'), remark: 'oldest first' },
    { name: 'Running', items: of('running') },
  ];
  if (layout === 'list') return [...live, { name: 'Finished since you last looked', items: fresh, canMark: true }];
  const done = of('finished').filter(({ row }) => isLookedAt(row));
  return [...live, { name: 'To review', items: fresh, canMark: true }, { name: 'Done this week', items: done }];
}

/** The projects and agents that rows are narrowed to. */
export interface BoardChoice {
  readonly project?: string | undefined;
  readonly agent?: string | undefined;
}

type Folders = ReadonlyMap<string, FolderFacts>;

export function isChosen(row: BoardRow, { project, agent }: BoardChoice, folders: Folders): boolean {
  return (
    (project === undefined || projectOf(row, folders) === project) && (agent === undefined || agentOf(row) === agent)
  );
}

/** The projects and agents that there are, by name. */
export function choicesOf(rows: readonly BoardRow[], folders: Folders): { projects: string[]; agents: string[] } {
  const sorted = (names: readonly string[]): string[] =>
    [...new Set(names)].sort((one, other) => one.localeCompare(other));
  return { projects: sorted(rows.map((row) => projectOf(row, folders))), agents: sorted(rows.map(agentOf)) };
}

/** A worktree belongs to the project of its repository. */
function projectOf({ root, directory }: BoardRow, folders: Folders): string {
  return directory === undefined ? 'No project' : folderName(folders.get(root)?.repository ?? directory);
}

function agentOf(row: BoardRow): string {
  return speakerOf({ ...row, model: '' });
}
