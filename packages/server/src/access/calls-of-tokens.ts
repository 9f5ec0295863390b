import { problem, ProblemError } from '../answers/problems.ts';
import type { Caller, LoomEngine, Outcome, ParamsOf, ResultOf } from '@loom/kernel';
import { z } from 'zod';
import type { CalledEngine } from '../observing/measured-call.ts';
import type { BlobReaders } from './blob-readers.ts';
import type { OpenVisits } from './open-visits.ts';
import type { TokenLimits } from './token-limits.ts';

export interface CallsOfTokensParts {
  engine: CalledEngine;
  turns: Pick<LoomEngine['turns'], 'abort' | 'wait'>;
  visits: Pick<OpenVisits, 'enter'>;
  limits: Pick<TokenLimits, 'enter'>;
  blobs: Pick<BlobReaders, 'refuseUnreadable' | 'noteMade'>;
  newId: () => string;
  onFailure: (error: unknown) => void;
}

/** The operations that go through all conversations: a token has few of these at once, so that others do not wait behind them. */
const searching: ReadonlySet<string> = new Set([
  'kernel.search',
  'block.search',
  'board.list',
  'bookmark.list',
  'tag.list',
  'turn.waiting',
  'usage.list',
]);

const startedTurns = z.object({ turns: z.array(z.string()), nodes: z.array(z.string()) });

/** An engine for those who were let in with a token: within the limits of that token, and with turns that end when it ends. */
export function callsOfTokens(parts: CallsOfTokensParts): CalledEngine {
  const { engine, limits, blobs } = parts;
  const { operations, forest } = engine;
  const running = new Set(operations.filter(({ effect }) => effect === 'runs').map(({ name }) => name));
  function call<Name extends string>(
    name: Name,
    caller: Caller,
    params: ParamsOf<Name>,
  ): Promise<Outcome<ResultOf<Name>>>;
  async function call(name: string, caller: Caller, params: unknown): Promise<Outcome<unknown>> {
    const { credential } = caller;
    if (credential === undefined) return engine.call<string>(name, caller, params);
    const refused = await blobs.refuseUnreadable(caller, params);
    if (refused !== undefined) return refused;
    if (!searching.has(name)) {
      const outcome: Outcome<unknown> = await engine.call(name, caller, params);
      if (outcome.ok) blobs.noteMade(credential, name, outcome.value);
      if (outcome.ok && running.has(name)) endTurnsWith(credential, caller, outcome.value, parts);
      return outcome;
    }
    const place = limits.enter(credential, 'searches');
    if (place === undefined) throw new ProblemError(problem('too-many-searches'));
    const release = await place;
    try {
      return await engine.call<string>(name, caller, params);
    } finally {
      release();
    }
  }
  return { call, operations, forest };
}

/** Stops the turns that a token has started when it ends, as far as they are not over by then. */
function endTurnsWith(
  token: string,
  { agent }: Caller,
  value: unknown,
  { turns, visits, newId, onFailure }: CallsOfTokensParts,
): void {
  const { data } = startedTurns.safeParse(value);
  for (const [index, turn] of data?.turns.entries() ?? []) {
    const node = data?.nodes[index] ?? data?.nodes[0] ?? '';
    const root = node.slice(0, node.lastIndexOf('/'));
    // One that has ended by now is refused, which changes nothing.
    const stop = (): void => void turns.abort({ agent, id: newId() }, root, turn).catch(onFailure);
    const leave = visits.enter(token, stop);
    void turns.wait(turn).then(leave, leave);
  }
}
