import { z } from 'zod';
import type { MessageBlock } from '@loom/blocks';
import { refuse } from '@loom/kernel';
import type { Outcome, Refused, Request, RootConfig, RootState } from '@loom/kernel';
import type { Decision, Forest, NodeFields, RootOp } from '@loom/kernel/logs';
import type { LegacyRoot } from '../reading/read-directory.ts';
import { legacyKey } from '../reading/node-metadata.ts';
import type { LegacyNode } from '../reading/node-links.ts';
import { seedOf } from './node-seed.ts';

/** The result of an import: the new root, and the new id of every node by its old one. */
export interface ImportedRoot {
  root: string;
  nodes: Map<string, string>;
}

export type ImportOutcome = { ok: true; value: ImportedRoot } | Refused;

const nodeValue = z.strictObject({ node: z.string() });

/** The number of nodes appended at once: they share writes, and not all of a large root is held twice. */
const nodesAtOnce = 500;

/**
 * Imports a root of an older directory into a forest unchanged: order, branches, equal siblings, deletions, and all data of the files beside the
 * messages. The request names the import of one directory; repeating it, whole or after a crash, finds the existing nodes and adds the missing ones.
 */
export async function importRoot(forest: Forest, request: Request, root: LegacyRoot): Promise<ImportOutcome> {
  const ask = (what: string): Request => ({ ...request, id: `${request.id}:${what}` });
  const nodeRequest = (id: string): Request => ask(`node:${id}`);
  const created = await forest.createRoot(ask(`root:${root.id}`), importedConfig(root));
  if (!created.ok) return created;
  const target = created.value.root;

  const nodes = new Map<string, string>([[root.id, target]]);
  for (let start = 0; start < root.nodes.length; start += nodesAtOnce) {
    const window = root.nodes.slice(start, start + nodesAtOnce);
    const add = (node: LegacyNode): Promise<Outcome<{ node: string }>> =>
      // A parent may be requested in the same batch; its place is known before its child is decided.
      forest.change(nodeRequest(node.id), target, nodeValue, (state) => decideNode(state, request.agent, node, nodes));
    // Nodes from an earlier attempt are only looked up.
    const { value: isKnown } = await forest.log(target).read((state) => {
      const known = window.filter(({ id }) => state.requestOf(request.agent, nodeRequest(id).id) !== undefined);
      return new Set(known.map(({ id }) => id));
    });
    for (const part of [window.filter(({ id }) => isKnown.has(id)), window.filter(({ id }) => !isKnown.has(id))]) {
      for (const [index, outcome] of (await Promise.all(part.map(add))).entries()) {
        if (!outcome.ok) return outcome;
        nodes.set(part[index]?.id ?? '', outcome.value.node);
      }
    }
  }
  nodes.delete(root.id);
  const removed = root.deleted ? await forest.removeRoot(ask(`deletion:${root.id}`), target) : created;
  return removed.ok ? { ok: true, value: { root: target, nodes } } : removed;
}

/** Returns the config of an imported root: the old one, plus the fields that the list of roots adds. */
export function importedConfig({ id, createdAt, config, extra }: LegacyRoot): RootConfig {
  // The kernel's schema drops this one key of an object that it checks; further down it checks nothing.
  const { [legacyKey]: _taken, ['__proto__']: _dropped, ...rest } = config;
  const moved = Object.entries(config).filter(([key]) => !Object.hasOwn(rest, key));
  return {
    ...rest,
    [legacyKey]: {
      id,
      ...(createdAt === undefined ? {} : { createdAt }),
      ...extra,
      ...(moved.length === 0 ? {} : { config: Object.fromEntries(moved) }),
    },
  };
}

/** Returns a block without the record of another root about it, which does not hold here. */
export function withoutRecord(block: MessageBlock): MessageBlock {
  const {
    block_id: _id,
    status: _status,
    version: _version,
    agent: _agent,
    created_at: _created,
    prefix: _prefix,
    from: _from,
    ...rest
  } = block;
  return rest;
}

/**
 * Adds the node whatever its siblings say: two completions with the same text are two nodes, each with its own usage. Notes its place, for its
 * children.
 */
function decideNode(
  state: RootState,
  agent: string,
  node: LegacyNode,
  places: Map<string, string>,
): Decision<RootOp, { node: string }> {
  const parent = places.get(node.parent);
  if (parent === undefined) return refuse({ reason: 'node-not-found', node: node.parent });
  const id = state.newNodeId();
  places.set(node.id, id);
  const blocks = node.message.content.map((block): MessageBlock => ({
    ...withoutRecord(block),
    block_id: state.newBlockId(agent),
    status: 'done',
  }));
  const set: NodeFields = {
    custom_data: node.customData,
    ...(node.tags.length === 0 ? {} : { tags: [...node.tags] }),
    ...(node.title === undefined ? {} : { title: node.title }),
  };
  const ops: RootOp[] = [
    { type: 'node-added', node: seedOf(node, { id, parent, blocks }) },
    { type: 'node-changed', node: id, set },
    ...(node.deleted ? [{ type: 'node-removed' as const, node: id }] : []),
  ];
  return { ok: true, ops, value: { node: id } };
}
