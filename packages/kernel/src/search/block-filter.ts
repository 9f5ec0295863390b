import { canonicalType, contentBlock } from '@loom/blocks';
import type { Role } from '@loom/blocks';

/** What must be known of a block to say whether it is to be searched. */
export interface SearchedBlock {
  /** Its type, in any accepted spelling. */
  kind: string;
  /** The root it belongs to; a block without one is in no root. */
  root?: string | undefined;
  /** The role of its node; a block without one is in no message. */
  role?: Role | undefined;
  path?: string | undefined;
}

export interface BlockFilter {
  /** In any accepted spelling; `tool_result` means every block of a tool message. All by default. */
  kinds?: readonly string[] | undefined;
  path_prefix?: string | undefined;
  roots?: readonly string[] | undefined;
}

/** Says of blocks whether they are to be searched. */
export function blockFilter({ kinds, path_prefix: prefix, roots }: BlockFilter): (block: SearchedBlock) => boolean {
  const wanted = kinds && new Set(kinds.map(canonicalType));
  const wantedRoots = roots && new Set(roots);
  return ({ kind, root, role, path }) => {
    const isKind =
      wanted === undefined || wanted.has(canonicalType(kind)) || (role === 'tool' && wanted.has('tool_result'));
    const isBelow = prefix === undefined || (path?.startsWith(prefix) ?? false);
    return isKind && isBelow && (wantedRoots === undefined || (root !== undefined && wantedRoots.has(root)));
  };
}

/** What `kinds` may name. */
export const searchedKinds: readonly string[] = [
  ...contentBlock.options.map(({ shape }) => shape.type.value),
  'tool_result',
];

/** The first of some kinds that there is not. */
export function unknownKind(kinds: readonly string[] = []): string | undefined {
  return kinds.find((kind) => !searchedKinds.includes(canonicalType(kind)));
}
