import { refuseMalformed } from '../../../request.ts';
import type { Request } from '../../../request.ts';
import type { Outcome } from '../../../refusal.ts';
import { subtree } from '../../../state/tree/queries.ts';
import type { Forest } from '../../forest.ts';
import { refuseHiding, refuseMissingNode } from '../obstacles.ts';
import { nodeValue } from '../../values.ts';
import { decideCopyTree } from './copy-tree.ts';
import { moveToRootParams, readParams } from '../../params.ts';

/** The new place of a subtree. */
export interface Destination {
  root: string;
  parent: string;
}

/**
 * Moves a subtree to another root: copies it there, then deletes it where it was. No change spans two logs, so a crash may
 * come between the two; repeating the request then finishes it. `removed` is false if the original became protected
 * meanwhile.
 */
export async function moveBetween(
  forest: Forest,
  request: Request,
  from: { root: string; node: string },
  to: Destination,
): Promise<Outcome<{ node: string; removed: boolean }>> {
  const read = readParams(moveToRootParams, { from, to });
  if (!read.ok) return read;
  const malformed = refuseMalformed(request);
  if (malformed !== undefined) return malformed;
  if (from.root === to.root) {
    const moved = await forest.move(request, from.root, { node: from.node, parent: to.parent });
    return moved.ok ? { ...moved, value: { ...moved.value, removed: true } } : moved;
  }
  const unknown = (await forest.refuseUnknown(from.root)) ?? (await forest.refuseUnknown(to.root));
  if (unknown !== undefined) return unknown;
  const known = (await forest.log(to.root).state()).requestOf(request.agent, request.id);
  const source = await forest.log(from.root).state();
  const nodes = subtree(source, from.node);
  if (known === undefined) {
    const obstacle = nodes.length === 0 ? refuseMissingNode(from.node) : refuseHiding(source, from.node);
    if (obstacle !== undefined) return obstacle;
  }
  const { parent } = to;
  const copied = await forest.change(request, to.root, nodeValue, (state) =>
    decideCopyTree(state, request.agent, { parent, nodes }),
  );
  if (!copied.ok) return copied;
  const removed = await forest.remove(request, from.root, { node: from.node, children: 'remove' });
  return { ok: true, value: { node: copied.value.node, removed: removed.ok }, cursor: copied.cursor };
}
