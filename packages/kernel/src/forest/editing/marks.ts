import { stableDeepEqual } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { Decision } from '../../log/log-shape.ts';
import type { NodeFields, RootConfig, RootOp } from '../../op.ts';
import { refuseParams, refuseValue } from '../../refusal.ts';
import { givenConfig, refuseUnknownKeys } from '../../root-settings.ts';
import type { RootState } from '../../state/root-state.ts';
import { refuseMissingNode } from './obstacles.ts';
import { isAtOrBelow, presentNode, visibleNode } from '../../state/tree/tree.ts';

/** The marks that people may put on a node beside its message; `null` removes one, an absent field leaves it. */
export interface MarkNodeParams {
  node: string;
  title?: string | null;
  tags?: readonly string[] | null;
  /** Blocks at or above the node that models are not shown from here on. */
  exclude?: readonly string[] | null;
  /** True if models are not shown anything above the node. */
  context_start?: boolean | null;
  custom_data?: PlainObject | null;
}

export function decideMarkNode(
  state: RootState,
  _agent: string,
  params: MarkNodeParams,
): Decision<RootOp, { node: string }> {
  const { node: id, title, tags, exclude, context_start, custom_data } = params;
  const node = presentNode(state, id);
  if (node === undefined) return refuseMissingNode(id);
  if (context_start === true && node.draft === true) {
    return refuseValue(['context_start'], 'cannot be true of a draft, which no model is shown');
  }
  if (context_start === true && node.role === 'tool') {
    return refuseValue(['context_start'], 'cannot be true of a result, whose call would be missing');
  }
  const elsewhere = (exclude ?? []).filter((block) => !isAtOrBelow(state, id, state.nodeOfBlock.get(block) ?? ''));
  if (elsewhere.length > 0) {
    return refuseValue(['exclude'], `must be of ${id} or of nodes above it, not ${elsewhere.join(', ')}`);
  }
  const set: NodeFields = {};
  if (title !== undefined) set.title = title === '' ? null : title;
  if (tags !== undefined) set.tags = uniqueOrNull(tags);
  if (exclude !== undefined) set.exclude = uniqueOrNull(exclude);
  if (context_start !== undefined) set.context_start = context_start === true ? true : null;
  if (custom_data !== undefined) set.custom_data = custom_data;
  const ops: RootOp[] = Object.keys(set).length === 0 ? [] : [{ type: 'node-changed', node: id, set }];
  return { ok: true, ops, value: { node: id } };
}

/** A bookmark gives a node a name and protects it, and what leads to it, from being deleted. `null` takes it away. */
export interface BookmarkParams {
  node: string;
  title: string | null;
}

export function decideBookmark(
  state: RootState,
  _agent: string,
  { node: id, title }: BookmarkParams,
): Decision<RootOp, { node: string }> {
  if (visibleNode(state, id) === undefined) return refuseMissingNode(id);
  const ops: RootOp[] = (state.bookmarks.get(id) ?? null) === title ? [] : [{ type: 'bookmark', node: id, title }];
  return { ok: true, ops, value: { node: id } };
}

/** The marks that people may put on a conversation as a whole. */
export interface MarkRootParams {
  title?: string | null;
  tags?: readonly string[] | null;
  add_tags?: readonly string[];
  remove_tags?: readonly string[];
  archived?: boolean;
  project?: string | null;
}

export function decideMarkRoot(
  state: RootState,
  _agent: string,
  { title, tags: given, add_tags: added = [], remove_tags: removed = [], archived, project }: MarkRootParams,
): Decision<RootOp, { root: string }> {
  const op: Extract<RootOp, { type: 'root-changed' }> = { type: 'root-changed' };
  if (title !== undefined) op.title = title === '' ? null : title;
  const before = given === undefined ? state.tags : (given ?? []);
  const tags = [...new Set([...before, ...added])].filter((tag) => !removed.includes(tag));
  if (given !== undefined || !stableDeepEqual(tags, [...state.tags])) op.tags = uniqueOrNull(tags);
  // An older Loom cannot read these two, so a log says them only where something changes.
  if (archived !== undefined && archived !== state.archived) op.archived = archived;
  if (project !== undefined && (project ?? undefined) !== state.project) op.project = project;
  return { ok: true, ops: Object.keys(op).length === 1 ? [] : [op], value: { root: state.id } };
}

/** Changes keys of a config, each for itself; `null` takes one away. */
export function decideConfigureRoot(
  state: RootState,
  changes: PlainObject,
): Decision<RootOp, { root: string; config: RootConfig }> {
  const unknown = refuseUnknownKeys(changes, state.config);
  if (unknown !== undefined) return unknown;
  const set = Object.entries(changes).filter(([, value]) => value !== null);
  const read = givenConfig.safeParse(Object.fromEntries(set));
  if (!read.success) return refuseParams(read.error, ['config']);
  const kept = Object.entries(state.config).filter(([key]) => changes[key] !== null);
  const config: RootConfig = { ...Object.fromEntries(kept), ...read.data };
  const isSame = stableDeepEqual(config, state.config);
  const ops: RootOp[] = isSame ? [] : [{ type: 'root-changed', config }];
  return { ok: true, ops, value: { root: state.id, config } };
}

function uniqueOrNull(values: readonly string[] | null): string[] | null {
  return values === null || values.length === 0 ? null : [...new Set(values)];
}
