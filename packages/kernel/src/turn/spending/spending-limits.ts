import type { Catalogue } from '@loom/blocks';
import type { Forest } from '../../forest/forest.ts';
import type { RootSummary } from '../../forest/root-head.ts';
import type { Clock } from '../../ports.ts';
import { describeThrown } from '../misbehaviour.ts';
import { billedParts } from '../../state/billed-parts.ts';
import type { NodeState } from '../../state/node-state.ts';
import type { TurnState } from '../../state/root-state.ts';

/** The most that may be spent before a person is asked, in US dollars. */
export interface SpendingLimits {
  turn?: number | undefined;
  /** In one day of the calendar, in UTC, in all conversations. */
  day?: number | undefined;
}

/** The parts that spending is judged by. */
export interface SpendingScope {
  forest: Forest;
  clock: Clock;
  catalogue?: Catalogue;
  /** Looked up before every call. Default: nothing is limited. */
  spendingLimits?: () => Promise<SpendingLimits>;
}

/** The name of a setting of a turn that limits its cost; it never raises the limit of the settings. */
export const costSetting = 'max_cost_usd';

/** A call of a model: what it has used, and when. */
export type SpendingCall = Pick<NodeState, 'source' | 'time'>;

/**
 * Returns the reason that a turn may not call its model now, or that its agent may not go on, if there is one: the turn or the day has reached
 * its limit, or costs of the turn are unknown, so that no limit could be kept. `nodes` are those that the turn has written, `running` is a call
 * under way whose usage is not logged yet.
 */
export async function overLimit(
  scope: SpendingScope,
  turn: TurnState,
  nodes: readonly SpendingCall[],
  running: readonly SpendingCall[] = [],
): Promise<Overspent | undefined> {
  const limits = await readLimits(scope);
  if ('message' in limits) return { code: 'unknown-cost', ...limits };
  const ofTurn = least(limits.turn, turn.settings[costSetting]);
  if (ofTurn === undefined && limits.day === undefined) return undefined;
  const now = await costOfCalls(scope, running);
  const logged = await costOfCalls(scope, nodes);
  const own = { cost: logged.cost + now.cost, unknown: [...logged.unknown, ...now.unknown] };
  if (own.unknown.length > 0 && turn.beyondLimits !== true) return unknownCost(own.unknown);
  if (ofTurn !== undefined && own.cost >= ofTurn) return reached('turn', own.cost, ofTurn);
  if (limits.day === undefined) return undefined;
  // A person has let the turn spend as much again as the limit of a day.
  if (turn.beyondLimits === true) return own.cost >= limits.day ? reached('day', own.cost, limits.day) : undefined;
  const today = await costOfDay(scope);
  const cost = today.cost + now.cost;
  return cost >= limits.day ? reached('day', cost, limits.day, today.unknown.length) : undefined;
}

/** A limit that cannot be read is not one that is not there. */
async function readLimits({ spendingLimits }: SpendingScope): Promise<SpendingLimits | { message: string }> {
  try {
    return (await spendingLimits?.()) ?? {};
  } catch (error) {
    return { message: `The spending limits cannot be read: ${describeThrown(error)}` };
  }
}

/** The reason that a person is asked before more is spent. */
export interface Overspent {
  code: 'spending-limit' | 'unknown-cost';
  message: string;
}

interface Spent {
  cost: number;
  /** The models of the calls whose cost is not known, once for each. */
  unknown: string[];
}

async function costOfCalls({ catalogue }: SpendingScope, nodes: readonly SpendingCall[]): Promise<Spent> {
  const spent: Spent = { cost: 0, unknown: [] };
  for (const { source, time } of nodes) {
    if (source.type !== 'model' || source.usage === undefined) continue;
    const { provider, model_name: model, usage } = source;
    const priced = async () =>
      (await catalogue?.pricing?.())?.({ provider, model, time, ...usage, ...billedParts(usage) });
    const cost = usage.cost_usd ?? (await priced().catch(() => undefined));
    if (cost === undefined) spent.unknown.push(`${provider}/${model}`);
    else spent.cost += cost;
  }
  return spent;
}

/** Returns the cost of today's calls. Conversations come latest first, so that only those of today are read. */
async function costOfDay(scope: SpendingScope): Promise<Spent> {
  const { forest, clock } = scope;
  const day = new Date(clock.now()).toISOString().slice(0, 10);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const spent: Spent = { cost: 0, unknown: [] };
  for (const deleted of [false, true]) {
    for (let begin = {}; ;) {
      const { items, next } = await forest.pageRoots({ limit: 100, deleted, archived: 'with', ...begin });
      for (const root of items.filter(({ updated }) => updated >= midnight)) {
        const { cost, unknown } = await costOfRoot(scope, root, day);
        spent.cost += cost;
        spent.unknown.push(...unknown);
      }
      if (next === undefined || (items.at(-1)?.updated ?? 0) < midnight) break;
      begin = { after: next };
    }
  }
  return spent;
}

/** Calls that another program made, and that were imported, are not spending of Loom: only those of turns count. */
async function costOfRoot(scope: SpendingScope, { id, config, spent }: RootSummary, day: string): Promise<Spent> {
  if (spent !== undefined && config['origin'] === undefined) {
    const rows = spent.filter((row) => row.day === day);
    const unknown = rows.filter((row) => row.cost_usd === undefined);
    return {
      cost: rows.reduce((sum, row) => sum + (row.cost_usd ?? 0), 0),
      unknown: unknown.flatMap((row) => Array.from({ length: row.calls }, () => `${row.provider}/${row.model}`)),
    };
  }
  const nodes = await scope.forest.readUnlessDamaged(id, (state) =>
    [...state.nodes.values()].filter(({ turn, time }) => turn !== undefined && isoDay(time) === day),
  );
  return costOfCalls(scope, nodes ?? []);
}

function isoDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function least(limit: number | undefined, given: unknown): number | undefined {
  const own = typeof given === 'number' && given >= 0 ? given : undefined;
  return limit === undefined ? own : Math.min(limit, own ?? limit);
}

function reached(what: 'turn' | 'day', cost: number, limit: number, uncounted = 0): Overspent {
  const spent = what === 'turn' ? 'This turn has cost' : 'Today’s calls have cost';
  const rest =
    uncounted === 0 ? '' : ` ${uncounted === 1 ? 'One call' : `${uncounted} calls`} of unknown cost not counted.`;
  const message = `${spent} ${dollars(cost)}, and the limit of a ${what} is ${dollars(limit)}.${rest}`;
  return { code: 'spending-limit', message };
}

function unknownCost(models: readonly string[]): Overspent {
  const names = [...new Set(models)].join(', ');
  const message = `There is a spending limit, but the cost of ${names} is unknown, so that it cannot be kept. Set the prices of the model (models.<name>.input_price and output_price; 0 if it is free).`;
  return { code: 'unknown-cost', message };
}

function dollars(amount: number): string {
  return `$${amount >= 0.1 || amount === 0 ? amount.toFixed(2) : amount.toPrecision(2)}`;
}
