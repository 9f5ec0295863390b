import { MemoryPair } from './memory-pair.ts';
import { SeededRandom } from './seeded-random.ts';
import { settle } from './sync-world.ts';
import type { SyncWorld } from './sync-world.ts';
import type { ReplicaOptions } from '../index.ts';

/** A replica of an agent that may write, and its connection, which is not made yet. */
export function createPair(world: SyncWorld, agent: string, options: Partial<ReplicaOptions> = {}): MemoryPair {
  return new MemoryPair(world.replica(agent, options), { agent, mayWrite: true }, new SeededRandom(1));
}

/** A replica that is connected and has everything; with a block that it may edit, if one is named. */
export async function joinRoom(
  world: SyncWorld,
  agent: string,
  block?: string,
  options: Partial<ReplicaOptions> = {},
): Promise<MemoryPair> {
  const pair = createPair(world, agent, options);
  pair.connect(world.room);
  await deliverAll(pair);
  if (block === undefined) return pair;
  pair.replica.open(block);
  await deliverAll(pair);
  return pair;
}

/** Lets everything through, in order, until nothing is under way. */
export async function deliverAll(...pairs: readonly MemoryPair[]): Promise<void> {
  for (let quiet = 0, round = 0; quiet < 3; round += 1) {
    if (round > 300) throw new Error('it never became quiet');
    for (const pair of pairs) pair.drain();
    await settle();
    quiet = pairs.every((pair) => pair.isQuiet) ? quiet + 1 : 0;
  }
}
