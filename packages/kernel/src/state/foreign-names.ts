import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { RootConfig, RootOp } from '../op.ts';
import type { NodeState } from './node-state.ts';

/** The names of a message and of its blocks in another program. */
export interface ForeignNames {
  id: string;
  keys: readonly string[];
}

/** The names of a node in a program that Loom wrote it for, or that wrote it while Loom listened. */
export function exportedAs(
  { note }: Pick<NodeState, 'note'>,
  source: string,
): { id: string; keys: string[] } | undefined {
  const all = note?.['exported'];
  const own = isPlainObject(all) ? all[source] : undefined;
  if (!isPlainObject(own) || typeof own['id'] !== 'string' || !Array.isArray(own['keys'])) return undefined;
  return { id: own['id'], keys: own['keys'].filter((key) => typeof key === 'string') };
}

/** The ids under which a conversation is known to other programs, beside the one that it came from. */
export function exportsIn(config: RootConfig): { source: string; id: string }[] {
  const all = config['exported'];
  if (!isPlainObject(all)) return [];
  return Object.entries(all).flatMap(([source, ids]) =>
    Array.isArray(ids) ? ids.flatMap((id: unknown) => (typeof id === 'string' ? [{ source, id }] : [])) : [],
  );
}

/** Gives a node its names in another program. Those of its blocks in sessions that were written before are still known. */
export function nameNode(node: NodeState, source: string, names: ForeignNames): RootOp {
  return { type: 'node-changed', node: node.id, set: { note: withExported(node, source, names) } };
}

/** Gives a conversation its names in another program; nothing if it has them. */
export function nameRoot(config: RootConfig, source: string, names: readonly string[]): RootOp[] {
  const all = config['exported'];
  const before = exportsIn(config).flatMap((known) => (known.source === source ? [known.id] : []));
  if (names.every((name) => before.includes(name))) return [];
  const exported = { ...(isPlainObject(all) ? all : {}), [source]: [...new Set([...before, ...names])] };
  return [{ type: 'root-changed', config: { ...config, exported } }];
}

/** The note of a node with its names in another program. */
export function withExported(node: Pick<NodeState, 'note'>, source: string, names: ForeignNames): PlainObject {
  const { note } = node;
  const all = note?.['exported'];
  const keys = [...new Set([...(exportedAs(node, source)?.keys ?? []), ...names.keys])];
  return { ...note, exported: { ...(isPlainObject(all) ? all : {}), [source]: { id: names.id, keys } } };
}
