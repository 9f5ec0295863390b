import { isPlainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import type { RootConfig, RootState } from '@loom/kernel';
import type { Change, NodeFields, RootOp } from '@loom/kernel/logs';
import { counterJump, raiseCounters } from '@loom/stores/archive';
import type { UsedNumbers } from '@loom/stores/archive';
import type { LegacyRoot } from '../reading/read-directory.ts';
import type { LegacyNode } from '../reading/node-links.ts';
import { legacyKey } from '../reading/node-metadata.ts';
import { seedOf } from './node-seed.ts';

/** The agent that writes the content of files into a log. */
export const adopter = 'importer';

/** A bookmark of a node of the root. */
export interface AdoptedBookmark {
  node: string;
  title: string;
}

export interface RootAdoption {
  /** The log's present state; `undefined` without a log. */
  state: RootState | undefined;
  /** Bookmarks that are not kept in the root's own files. */
  bookmarks: readonly AdoptedBookmark[];
  /** The time for nodes without one. */
  now: number;
}

/**
 * Returns the changes that bring a root of a directory into its log, under the ids that it has there: all of it, or the part that the log lacks. Each
 * node is a change at the time it was said, the oldest first, parents before their children.
 */
export function adoptRoot(root: LegacyRoot, { state, bookmarks, now }: RootAdoption): Change<RootOp>[] {
  const found = root.nodes.filter(({ id }) => state?.nodes.has(id) !== true);
  const times = orderInTime(root, found, createdAt(root, now), state);
  const blocks = nameBlocks(root, found, state);
  const titles = new Map([...(root.current?.bookmarks ?? []), ...bookmarks].map(({ node, title }) => [node, title]));
  const changes: Change<RootOp>[] = [];
  const write = (time: number, request: string, ops: RootOp[]): void => {
    const seq = (state?.seq ?? 0) + changes.length + 1;
    changes.push({ seq, time, agent: adopter, request: `adopt:${request}`, result: null, ops });
  };
  if (state === undefined) write(createdAt(root, now), 'root', [rootOp(root), ...undoneOps(root)]);
  for (const { node, time } of times) {
    write(time, node.id, nodeOps(node, blocks.get(node.id) ?? [], titles.get(node.id)));
  }
  const latest = times.at(-1)?.due ?? createdAt(root, now);
  const moved = state === undefined ? [] : moveBelow(found, root, state);
  if (moved.length > 0) write(latest, `moved:${found[0]?.id}`, moved);
  const used = usedNumbers(root, [...blocks.values()].flat());
  if (state === undefined && used !== undefined) write(latest, 'counters', [raiseCounters(used)]);
  return changes;
}

/** Returns the config of an adopted root: its own, plus the fields that the list of roots adds. */
export function adoptedConfig({ config, extra, current }: LegacyRoot): RootConfig {
  // The kernel's schema drops this one key of an object that it checks; further down it checks nothing.
  const { ['__proto__']: _dropped, ...known } = config;
  if (current !== undefined) return known;
  const { [legacyKey]: _taken, ...rest } = known;
  const moved = Object.entries(config).filter(([key]) => !Object.hasOwn(rest, key));
  if (moved.length === 0 && Object.keys(extra).length === 0) return rest;
  return { ...rest, [legacyKey]: { ...extra, ...(moved.length === 0 ? {} : { config: Object.fromEntries(moved) }) } };
}

/** Returns the custom data of an adopted node: without its id and time, which the node itself has now. */
export function adoptedCustomData({ id, root, timestamp, customData, current }: LegacyNode): PlainObject | undefined {
  const kept = customData[legacyKey];
  if (current !== undefined || !isPlainObject(kept)) return nonEmpty(customData);
  const { [legacyKey]: _kept, ...own } = customData;
  const { id: written, metadata, ...others } = kept;
  const isNamed = written === id || `${root}/${String(written)}` === id;
  const rest: PlainObject = { ...(written === undefined || isNamed ? {} : { id: written }), ...others };
  if (isPlainObject(metadata)) {
    const { timestamp: time, original_root_id: origin, ...unknown } = metadata;
    const isSaid = timestamp !== undefined && timestamp === time && new Date(timestamp).toISOString() === timestamp;
    const left = {
      ...(time === undefined || isSaid ? {} : { timestamp: time }),
      ...(origin === undefined || origin === root ? {} : { original_root_id: origin }),
      ...unknown,
    };
    if (Object.keys(left).length > 0) rest['metadata'] = left;
  } else if (metadata !== undefined) {
    rest['metadata'] = metadata;
  }
  return nonEmpty(Object.keys(rest).length === 0 ? own : { ...own, [legacyKey]: rest });
}

/** Returns the time a root was created: its own claim, else a time before its first message. */
export function createdAt(root: LegacyRoot, now: number): number {
  const said = Date.parse(root.createdAt ?? '');
  if (!Number.isNaN(said)) return said;
  const times = root.nodes.flatMap(({ timestamp }) => (timestamp === undefined ? [] : [Date.parse(timestamp)]));
  return times.reduce((earliest, time) => Math.min(earliest, time), now);
}

interface TimedNode {
  node: LegacyNode;
  time: number;
  /** Never before its parent: the first generations gave the halves of a split the time of the whole. */
  due: number;
}

function orderInTime(
  root: LegacyRoot,
  nodes: readonly LegacyNode[],
  created: number,
  state: RootState | undefined,
): TimedNode[] {
  const due = new Map([[root.id, created]]);
  const timed = nodes.map((node): TimedNode => {
    const above = due.get(node.parent) ?? state?.nodes.get(node.parent)?.time ?? created;
    const time = node.timestamp === undefined ? above : Date.parse(node.timestamp);
    due.set(node.id, Math.max(time, above));
    return { node, time, due: Math.max(time, above) };
  });
  // Sorting is stable: a child that is due with its parent stays after it.
  return timed.sort((a, b) => a.due - b.due);
}

function rootOp(root: LegacyRoot): RootOp {
  const { current, deleted } = root;
  return {
    type: 'root-changed',
    config: adoptedConfig(root),
    ...(current?.title === undefined ? {} : { title: current.title }),
    ...(current === undefined || current.tags.length === 0 ? {} : { tags: [...current.tags] }),
    ...(deleted ? { deleted } : {}),
    ...(current?.archived === true ? { archived: true } : {}),
    ...(current?.project === undefined ? {} : { project: current.project }),
  };
}

function undoneOps({ current }: LegacyRoot): RootOp[] {
  return (current?.undoneFiles ?? []).map(({ turn, paths }) => ({
    type: 'files-undone',
    turn,
    to: 'undone',
    files: paths.map((path) => ({ path })),
  }));
}

function nodeOps(node: LegacyNode, blocks: MessageBlock[], bookmark: string | undefined): RootOp[] {
  const { id, parent, current } = node;
  const customData = adoptedCustomData(node);
  const set: NodeFields = {
    ...(customData === undefined ? {} : { custom_data: customData }),
    ...(node.tags.length === 0 ? {} : { tags: [...node.tags] }),
    ...(node.title === undefined ? {} : { title: node.title }),
    ...(current?.exclude === undefined ? {} : { exclude: [...current.exclude] }),
    ...(current?.contextStart === undefined ? {} : { context_start: true }),
  };
  return [
    {
      type: 'node-added',
      node: {
        ...seedOf(node, { id, parent, blocks }),
        ...(current?.turn === undefined ? {} : { turn: current.turn }),
        ...(current?.startedAt === undefined ? {} : { started_at: current.startedAt }),
        ...(current?.endedAt === undefined ? {} : { ended_at: current.endedAt }),
        ...(current?.origin === undefined ? {} : { origin: current.origin }),
        ...(current?.note === undefined ? {} : { note: current.note }),
        ...(current?.notice === undefined ? {} : { notice: current.notice }),
        ...(current?.draft === undefined ? {} : { draft: current.draft }),
      },
    },
    ...(Object.keys(set).length === 0 ? [] : [{ type: 'node-changed' as const, node: id, set }]),
    ...(bookmark === undefined ? [] : [{ type: 'bookmark' as const, node: id, title: bookmark }]),
    ...(node.deleted ? [{ type: 'node-removed' as const, node: id }] : []),
  ];
}

/**
 * Gives every block the id in its file, or one made of its place in an older file. An id that two files claim belongs to the first of the current
 * format, else to the first; the other block gets a new one.
 */
function nameBlocks(
  root: LegacyRoot,
  nodes: readonly LegacyNode[],
  state: RootState | undefined,
): Map<string, MessageBlock[]> {
  const taken = new Set<string>();
  const claim = (id: string | undefined): id is string => {
    if (id === undefined || !id.startsWith(`${root.id}/@`)) return false;
    if (taken.has(id) || state?.nodeOfBlock.has(id) === true || state?.retired.has(id) === true) return false;
    taken.add(id);
    return true;
  };
  let last = 0;
  const fresh = (): string => {
    for (;;) {
      last += 1;
      const id = `${root.id}/@${adopter}/${last}`;
      if (claim(id)) return id;
    }
  };
  const named = new Map<string, MessageBlock[]>();
  const [current, older] = [nodes.filter(isCurrent), nodes.filter((node) => !isCurrent(node))];
  for (const { id, message } of [...current, ...older]) {
    const name = id.slice(root.id.length + 1);
    const isOwn = named.size < current.length;
    const blocks = message.content.map((block, index): MessageBlock => {
      const wanted = isOwn ? block.block_id : `${root.id}/@${name}/${index}`;
      return { ...block, block_id: claim(wanted) ? wanted : fresh(), status: block.status ?? 'done' };
    });
    named.set(id, blocks);
  }
  return named;
}

function isCurrent({ current }: LegacyNode): boolean {
  return current !== undefined;
}

/** Moves children below a node that could not be read when they were adopted: they were attached to its parent then. */
function moveBelow(found: readonly LegacyNode[], root: LegacyRoot, state: RootState): RootOp[] {
  const parentOf = new Map(found.map(({ id, parent }) => [id, parent]));
  return root.nodes.flatMap((node): RootOp[] => {
    const present = state.nodes.get(node.id);
    const isBack = present !== undefined && present.parent === parentOf.get(node.parent);
    return isBack ? [{ type: 'node-moved', node: node.id, parent: node.parent }] : [];
  });
}

/**
 * Returns the numbers that must not be given out again although the log would: those of unreadable files, and, if a log has been here before, those
 * it may have given out that no file shows.
 */
function usedNumbers(root: LegacyRoot, blocks: readonly MessageBlock[]): UsedNumbers | undefined {
  const names = root.nodes.map(({ id }) => Number(/\/node-(\d+)$/u.exec(id)?.[1] ?? 0));
  const highestRead = names.reduce((highest, number) => Math.max(highest, number), 0);
  const highest = Math.max(highestRead, root.highestNumber ?? 0);
  if (root.current === undefined && !root.nodes.some(isCurrent)) {
    return highest > highestRead ? { node: highest, blocks: new Map() } : undefined;
  }
  const counters = root.current?.counters;
  const agents = new Map(Object.entries(counters?.blocks ?? {}));
  for (const { block_id: id = '' } of blocks) {
    const [, agent, number] = /\/@([^/]+)\/(\d+)$/u.exec(id) ?? [];
    if (agent !== undefined) agents.set(agent, Math.max(agents.get(agent) ?? 0, Number(number)));
  }
  return {
    node: Math.max(highest, counters?.node ?? 0) + counterJump,
    blocks: new Map([...agents].map(([agent, number]) => [agent, number + counterJump])),
  };
}

function nonEmpty(value: PlainObject): PlainObject | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}
