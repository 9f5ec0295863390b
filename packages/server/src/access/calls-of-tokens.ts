import { problem, ProblemError } from '../answers/problems.ts';
import type { Caller, Outcome, ParamsOf, ResultOf } from '@loom/kernel';
import type { CalledEngine } from '../observing/measured-call.ts';
import type { BlobReaders } from './blob-readers.ts';
import type { TokenLimits } from './token-limits.ts';
import type { TurnsOfTokens } from './turns-of-tokens.ts';

export interface CallsOfTokensParts {
  engine: CalledEngine;
  turns: TurnsOfTokens;
  limits: Pick<TokenLimits, 'enter'>;
  blobs: Pick<BlobReaders, 'refuseUnreadable' | 'noteMade'>;
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

/** An engine for those who were let in with a token: within the limits of that token, and with turns that end when it ends. */
export function callsOfTokens(parts: CallsOfTokensParts): CalledEngine {
  const { engine, turns, limits, blobs } = parts;
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
      if (outcome.ok && running.has(name)) turns.started(credential, caller.agent, outcome.value);
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
