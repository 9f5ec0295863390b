import type { Change, RootOp } from '@loom/kernel/logs';
import { act, decideAll, inventWeights } from './actions.ts';
import type { Action } from './actions.ts';
import type { Coverage } from './coverage.ts';
import type { PlantedFault } from './planted-fault.ts';
import { Random } from '@loom/kernel/testing';
import type { Violation } from './violation.ts';
import { World } from './world.ts';

export interface SimulationOptions {
  seed: number;
  /** The number of steps before everything comes to rest. */
  steps?: number;
  /** True if agents that run their own tools answer, too; by default only models do. */
  hasAgents?: boolean;
  /** A defect to find. */
  fault?: PlantedFault;
}

/** The outcome. The same options always give the same result. */
export interface Simulation {
  seed: number;
  steps: number;
  hasAgents: boolean;
  violations: readonly Violation[];
  coverage: Coverage;
  /** The actions, in order, each with the seq of the log at that moment. */
  trace: readonly string[];
  /** The resulting log. */
  changes: readonly Change<RootOp>[];
}

export const defaultSteps = 260;

/**
 * Runs several kernels over one store under every possible event, and checks the invariants after every step. Stops at the first violation: steps
 * after it prove nothing.
 */
export async function simulate({ seed, steps = defaultSteps, ...kind }: SimulationOptions): Promise<Simulation> {
  const random = new Random(seed);
  const world = new World(random, kind);
  await world.begin();
  for (const name of random.chance(0.5) ? ['one', 'two', 'three'] : ['one', 'two']) world.start(name);
  const weights = inventWeights(random);
  for (let step = 0; step < steps && world.violations.length === 0; step += 1) await takeStep(world, weights);
  if (world.violations.length === 0) await comeToRest(world);
  const { violations, coverage, trace, monitor } = world;
  return { seed, steps, hasAgents: world.hasAgents, violations, coverage, trace, changes: monitor.changes };
}

async function takeStep(world: World, weights: readonly [Action, number][]): Promise<void> {
  const { random, scheduler } = world;
  const kind = random.weigh(
    [
      ['resume', 20],
      ['ring', 3],
      ['act', 3],
    ],
    'act',
  );
  const hasMoved = (kind === 'resume' && scheduler.resumeOne()) || (kind === 'ring' && scheduler.ringOne());
  // In bursts, so that one action is still under way when the next one comes.
  for (let more = !hasMoved; more; more = random.chance(0.3)) act(world, random.weigh(weights, 'generate'));
  await scheduler.settle();
  const probed = random.pick(world.awake);
  if (probed !== undefined) world.probe(probed);
  if (random.chance(0.01)) await world.checkReload();
  await scheduler.settle();
}

/** The most timers that may ring before the world must be at rest, unless so little time has passed that a lease still holds. */
const patience = 400;
const longestLease = 60_000;

/** Stops all faults: everything that was begun must end, and nothing may be left over. */
async function comeToRest(world: World): Promise<void> {
  const { scheduler, monitor } = world;
  for (const process of world.processes) {
    process.isFrozen = false;
    process.disarm();
  }
  const end = scheduler.now + longestLease;
  for (let round = 0; round < patience || scheduler.now < end; round += 1) {
    if (world.violations.length > 0) break;
    restartDead(world);
    // A user who waits for an answer does not ask again and again.
    if (world.processes.every(({ operations }) => operations.size === 0)) decideAll(world);
    if (monitor.state.liveTurns.size === 0 && world.hasAgents) lookAtChildren(world);
    await scheduler.settle();
    while (scheduler.resumeOne()) await scheduler.settle();
    if (isAtRest(world)) break;
    scheduler.ringOne();
    await scheduler.settle();
  }
  if (!isAtRest(world)) {
    const live = [monitor, ...world.children.values()].flatMap(({ state }) => [...state.liveTurns]).join(', ');
    world.report('comes-to-rest', `live: ${live || 'none'}; messages that wait: ${monitor.waitingMessages.length}`);
  }
  for (const process of world.processes) world.probe(process);
  await scheduler.settle();
  while (scheduler.resumeOne()) await scheduler.settle();
  await world.checkReload();
  world.checkChildren();
}

/** Restarts dead processes. Only a process that starts is asked to recover; the others have to help themselves. */
function restartDead(world: World): void {
  for (const { isAlive, name } of world.processes) if (!isAlive) void world.recover(world.start(name));
}

/** Opens the conversations of agents, which closes the parts that a dead process left open in them. */
function lookAtChildren(world: World): void {
  const process = world.random.pick(world.awake);
  if (process !== undefined) void world.openChildren(process);
}

function isAtRest({ monitor, processes, children }: World): boolean {
  return (
    processes.every(({ isAlive, isClosing }) => isAlive && !isClosing) &&
    [monitor, ...children.values()].every(({ state }) => state.liveTurns.size === 0) &&
    monitor.waitingMessages.length === 0 &&
    processes.every(({ operations }) => operations.size === 0)
  );
}
