import { createHash } from 'node:crypto';
import { isPlainObject, stableDeepEqual } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { RootState } from '@loom/kernel';
import type { Forest } from '@loom/kernel/logs';
import { adoptedConfig, adoptedCustomData } from './adopt-root.ts';
import type { LegacyRoot } from '../reading/read-directory.ts';
import { importedConfig, withoutRecord } from './import-root.ts';
import { compareNames } from '../node-order.ts';

/** A root in four values that can be stored and compared: equal if and only if the roots have the same content. */
export interface RootDigest {
  nodes: number;
  /** The number of nodes without children. */
  leaves: number;
  /** SHA-256 over the messages along every path, in their order. */
  messages: string;
  /** The same with sources, tags, titles, custom data, deletions and the config. */
  everything: string;
}

export type Verification = { ok: true; digest: RootDigest } | { ok: false; expected: RootDigest; actual: RootDigest };

/** Checks that a root of the forest matches the older directory. */
export async function verifyRoot(forest: Forest, root: string, expected: LegacyRoot): Promise<Verification> {
  const before = digestLegacyRoot(expected);
  const after = digestRoot(await forest.log(root).state());
  return stableDeepEqual(before, after) ? { ok: true, digest: before } : { ok: false, expected: before, actual: after };
}

/** The digest of a root as an older directory holds it. */
export function digestLegacyRoot(root: LegacyRoot): RootDigest {
  const facts = new Map<string, NodeFacts>();
  for (const { id, message, source, tags, title, customData, continues, deleted } of root.nodes) {
    const [tool_call_id, is_error] = message.role === 'tool' ? [message.tool_call_id, message.is_error] : [];
    facts.set(id, {
      message: messageFacts(message.role, message.content, tool_call_id, is_error),
      details: { source, tags, title, customData, continues, deleted },
    });
  }
  const children = Map.groupBy(facts.keys(), parentIn(root));
  return digestTree(root.id, facts, children, { config: importedConfig(root), deleted: root.deleted });
}

/** The digest of a root of the forest, deleted nodes included. */
export function digestRoot(state: RootState): RootDigest {
  const facts = new Map<string, NodeFacts>();
  for (const [id, node] of state.nodes) {
    const { source, tags = [], title, custom_data, continues = false, deleted = false } = node;
    facts.set(id, {
      message: messageFacts(node.role, node.blocks, node.tool_call_id, node.is_error),
      details: { source, tags, title, customData: custom_data, continues, deleted },
    });
  }
  return digestTree(state.id, facts, state.children, { config: state.config, deleted: state.deleted });
}

/**
 * The digest of a root of a directory as its own log holds it: ids count, and siblings come in the order of their names, as in
 * every log.
 */
export function digestRootFiles(root: LegacyRoot): RootDigest {
  const facts = new Map<string, NodeFacts>();
  for (const node of root.nodes) {
    const { id, message, source, tags, title, continues, deleted, current } = node;
    const [tool_call_id, is_error] = message.role === 'tool' ? [message.tool_call_id, message.is_error] : [];
    const details = { id, source, tags, title, customData: adoptedCustomData(node), continues, deleted };
    facts.set(id, {
      message: messageFacts(message.role, message.content, tool_call_id, is_error),
      details: { ...details, exclude: current?.exclude, contextStart: current?.contextStart },
    });
  }
  const { title, tags = [], bookmarks = [], undoneFiles = [] } = root.current ?? {};
  const marks = [...new Map(bookmarks.map(({ node, title: name }) => [node, name]))]
    .filter(([node]) => facts.has(node))
    .toSorted(byName);
  const config = adoptedConfig(root);
  return digestTree(root.id, facts, inOrderOfNames(Map.groupBy(facts.keys(), parentIn(root))), {
    root: {
      id: root.id,
      config,
      title,
      tags,
      deleted: root.deleted,
      marks,
      undone: undoneFiles.map(({ turn, paths }) => [turn, paths]),
    },
  });
}

/** Returns the digest of a root of the forest, to compare with that of its files. */
export function digestRootLog(state: RootState): RootDigest {
  const facts = new Map<string, NodeFacts>();
  for (const [id, node] of state.nodes) {
    const { source, tags = [], title, custom_data: customData, continues = false, deleted = false } = node;
    const details = { id, source, tags, title, customData, continues, deleted };
    facts.set(id, {
      message: messageFacts(node.role, node.blocks, node.tool_call_id, node.is_error),
      details: { ...details, exclude: node.exclude, contextStart: node.context_start },
    });
  }
  const { id, config, title, tags, deleted } = state;
  const children = Map.groupBy(facts.keys(), (node) => state.nodes.get(node)?.parent ?? id);
  const marks = [...state.bookmarks].toSorted(byName);
  const undone = Array.from(state.undoneFiles, ([turn, paths]) => [turn, [...paths].sort()]);
  const root = { id, config, title, tags, deleted, marks, undone };
  return digestTree(id, facts, inOrderOfNames(children), { root });
}

function inOrderOfNames(children: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  return new Map([...children].map(([parent, ids]) => [parent, ids.toSorted(compareNames)]));
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return compareNames(a, b);
}

interface NodeFacts {
  message: unknown;
  details: unknown;
}

function messageFacts(
  role: string,
  blocks: readonly MessageBlock[],
  toolCallId: string | undefined,
  isError: boolean | undefined,
): unknown {
  return { role, content: blocks.map(withoutRecord), tool_call_id: toolCallId, is_error: isError === true };
}

function parentIn(root: LegacyRoot): (id: string) => string {
  const parents = new Map(root.nodes.map(({ id, parent }) => [id, parent]));
  return (id) => parents.get(id) ?? root.id;
}

/**
 * Hashes every node together with the hashes of its children, leaves first: any difference, in a message, its place or the order of branches, shows
 * at the top. Every node is hashed once, however many paths lead through it.
 */
function digestTree(
  top: string,
  facts: ReadonlyMap<string, NodeFacts>,
  children: ReadonlyMap<string, readonly string[]>,
  root: unknown,
): RootDigest {
  const order: string[] = [];
  const waiting = [top];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    order.push(id);
    for (const child of children.get(id) ?? []) waiting.push(child);
  }
  const said = new Map<string, string>();
  const whole = new Map<string, string>();
  let leaves = 0;
  for (const id of order.toReversed()) {
    const below = children.get(id) ?? [];
    const { message, details } = facts.get(id) ?? { message: null, details: root };
    said.set(id, hash([message, below.map((child) => said.get(child))]));
    whole.set(id, hash([message, details, below.map((child) => whole.get(child))]));
    if (below.length === 0 && id !== top) leaves += 1;
  }
  return { nodes: order.length - 1, leaves, messages: said.get(top) ?? '', everything: whole.get(top) ?? '' };
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, sortKeys)).digest('hex');
}

function sortKeys(_key: string, value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => Number(a > b) - Number(a < b)));
}
