import type { NodeState } from '@loom/kernel';

/** Sums up the costs of the calls of the last turn on a path; `undefined` if one of them has no known price. */
export function costOfLastTurn(
  path: readonly string[],
  nodes: ReadonlyMap<string, Pick<NodeState, 'turn' | 'source'>>,
): number | undefined {
  let turn: string | undefined;
  let sum: number | undefined;
  for (const id of path.toReversed()) {
    const node = nodes.get(id);
    if (node === undefined) break;
    turn ??= node.turn;
    if (turn === undefined || node.turn !== turn) break;
    const usage = node.source?.type === 'model' ? node.source.usage : undefined;
    if (usage === undefined) continue;
    if (usage.cost_usd === undefined) return undefined;
    sum = (sum ?? 0) + usage.cost_usd;
  }
  return sum;
}
