import { longBranch } from './long-branch.ts';

/** A place of the branch that is worth going to. */
export interface RailMark {
  readonly node: string;
  readonly kind: 'person' | 'bookmark' | 'error';
  /** The position, from 0 at the first message to 1 at the last. */
  readonly at: number;
}

/** The most marks there are: more could not be told apart. */
const mostMarks = 120;

const weight = { person: 1, bookmark: 2, error: 3 } as const;

/** The marks of a branch, at most one in each place: what went wrong before bookmarks, these before what persons said. */
export function railMarks(
  path: readonly string[],
  kindOf: (node: string) => RailMark['kind'] | undefined,
): readonly RailMark[] {
  if (path.length <= longBranch) return [];
  const places = new Map<number, RailMark>();
  for (let index = 0; index < path.length; index += 1) {
    const node = path[index] ?? '';
    const kind = kindOf(node);
    if (kind === undefined) continue;
    const at = index / (path.length - 1);
    const place = Math.round(at * mostMarks);
    const known = places.get(place);
    if (known === undefined || weight[known.kind] < weight[kind]) places.set(place, { node, kind, at });
  }
  return [...places.values()].sort((one, other) => one.at - other.at);
}
