import type { Caller, LoomEngine, Outcome, ParamsOf, ResultOf } from '@loom/kernel';
import type { ServerMeasures } from './server-measures.ts';
import type { WriteLog } from './server-log.ts';

/** Operations that wait for something by their nature: how long they take says nothing. */
const waiting: ReadonlySet<string> = new Set(['turn.wait', 'turn.compact', 'root.suggest_title']);

export function waitsByNature(operation: string): boolean {
  return waiting.has(operation);
}

/** The duration from which an operation is logged as slow, in milliseconds. */
const slow = 1000;

export interface MeasuringParts {
  engine: LoomEngine;
  measures: Pick<ServerMeasures, 'called'>;
  log: WriteLog;
  /** Returns the milliseconds since some fixed moment. */
  now: () => number;
}

/** The part of the engine that the doors of the server use. */
export type CalledEngine = Pick<LoomEngine, 'call' | 'operations' | 'forest'>;

/** An engine whose operations are counted, with how long they took, whichever door asks for them; those that take long are noted. */
export function measureCalls({ engine, measures, log, now }: MeasuringParts): CalledEngine {
  const { operations, forest } = engine;
  const names = new Set(operations.map(({ name }) => name));
  function call<Name extends string>(
    name: Name,
    caller: Caller,
    params: ParamsOf<Name>,
  ): Promise<Outcome<ResultOf<Name>>>;
  async function call(name: string, caller: Caller, params: unknown): Promise<Outcome<unknown>> {
    const start = now();
    // A name that is none comes from outside: there are as many as clients like.
    const operation = names.has(name) ? name : 'unknown';
    let outcome = 'failed';
    try {
      const answer: Outcome<unknown> = await engine.call(name, caller, params);
      outcome = answer.ok ? 'ok' : answer.refusal.reason;
      return answer;
    } finally {
      const milliseconds = now() - start;
      measures.called({ operation, outcome }, milliseconds / 1000);
      if (milliseconds >= slow && !waitsByNature(operation)) {
        log({ level: 'warn', event: 'slow', operation, outcome, agent: caller.agent, ms: Math.round(milliseconds) });
      }
    }
  }
  return { call, operations, forest };
}
