import { canonicalType } from '@loom/blocks';
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
  /** In any accepted spelling; `tool_result` means every block of a tool message. */
  kinds?: readonly string[] | undefined;
  path_prefix?: string | undefined;
  roots?: readonly string[] | undefined;
}

/** Says of blocks whether they are to be searched. */
export function blockFilter({
  kinds = ['file'],
  path_prefix: prefix,
  roots,
}: BlockFilter): (block: SearchedBlock) => boolean {
  const wanted = new Set(kinds.map(canonicalType));
  const wantedRoots = roots && new Set(roots);
  return ({ kind, root, role, path }) => {
    const isKind = wanted.has(canonicalType(kind)) || (role === 'tool' && wanted.has('tool_result'));
    const isBelow = prefix === undefined || (path?.startsWith(prefix) ?? false);
    return isKind && isBelow && (wantedRoots === undefined || (root !== undefined && wantedRoots.has(root)));
  };
}
