import { blockKind } from '@loom/blocks';
import type { MessageBlock, Role } from '@loom/blocks';
import { pathOfBlock } from '../forest/reading/block-place.ts';
import type { NodeState } from '../state/node-state.ts';

/** The facts about a block that decide if it is searched. */
export interface SearchedBlock {
  /** Its type. */
  kind: string;
  /** The root it belongs to; a block without one is in no root. */
  root?: string | undefined;
  /** The role of its node; a block without one is in no message. */
  role?: Role | undefined;
  path?: string | undefined;
  /** Its writer. */
  agent?: string | undefined;
  /** True if something went wrong in it. */
  failed?: boolean | undefined;
  /** The start time: milliseconds since 1970. */
  time?: number | undefined;
}

export interface BlockFilter {
  /** In any spelling; `tool_result` means every block of a tool message. All by default. */
  kinds?: readonly string[] | undefined;
  path_prefix?: string | undefined;
  roots?: readonly string[] | undefined;
  /** Writers; a name without its model means all models of a provider. */
  agents?: readonly string[] | undefined;
  /** Roles of messages; a block outside of messages has none. */
  roles?: readonly Role[] | undefined;
  /** Only what went wrong: errors, interrupted messages, failed calls of tools. */
  errors?: boolean | undefined;
  /** From this time on, as ISO 8601; a date is its midnight in UTC. */
  after?: string | undefined;
  /** Up to this time, exclusive. */
  before?: string | undefined;
}

/** Returns the facts about a block that a filter needs. */
export function searchedBlock(node: NodeState, block: MessageBlock): SearchedBlock {
  return {
    kind: block.type,
    role: node.role,
    path: pathOfBlock(block),
    agent: block.agent,
    failed: block.type === 'error' || block.status === 'error' || node.is_error === true,
    time: block.created_at === undefined ? node.time : Date.parse(block.created_at),
  };
}

/** Returns true if a filter looks at more than kinds, paths and roots. */
function looksAtRecords({ agents, errors, after, before }: BlockFilter): boolean {
  return agents !== undefined || errors === true || after !== undefined || before !== undefined;
}

/** Says of blocks whether they are to be searched. */
export function blockFilter(filter: BlockFilter): (block: SearchedBlock) => boolean {
  const { kinds, path_prefix: prefix, roots, roles } = filter;
  const wanted = kinds && new Set<string | undefined>(kinds.map(blockKind));
  const wantedRoots = roots && new Set(roots);
  const isRecordWanted = looksAtRecords(filter) ? recordFilter(filter) : () => true;
  return (block) => {
    const { kind, root, role, path } = block;
    const isKind = wanted === undefined || wanted.has(kind) || (role === 'tool' && wanted.has('tool_result'));
    const isBelow = prefix === undefined || (path?.startsWith(prefix) ?? false);
    const isInRoot = wantedRoots === undefined || (root !== undefined && wantedRoots.has(root));
    const isRole = roles === undefined || (role !== undefined && roles.includes(role));
    return isKind && isBelow && isInRoot && isRole && isRecordWanted(block);
  };
}

function recordFilter({ agents, errors, after, before }: BlockFilter): (block: SearchedBlock) => boolean {
  const [from, to] = [after === undefined ? -Infinity : Date.parse(after), Date.parse(before ?? '')];
  const hasTimes = after !== undefined || before !== undefined;
  return ({ agent = '', failed, time }) => {
    const isWriter = agents?.some((name) => agent === name || agent.startsWith(`${name}:`)) ?? true;
    const isThen = !hasTimes || (time !== undefined && time >= from && !(time >= to));
    return isWriter && (errors !== true || failed === true) && isThen;
  };
}

/** Returns the first unknown kind. */
export function unknownKind(kinds: readonly string[] = []): string | undefined {
  return kinds.find((kind) => blockKind(kind) === undefined);
}
