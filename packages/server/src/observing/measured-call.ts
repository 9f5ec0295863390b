import type { Caller, LoomEngine, Outcome } from '@loom/kernel';
import type { ServerMeasures } from './server-measures.ts';
import type { WriteLog } from './server-log.ts';

/** Operations that wait for something by their nature: how long they take says nothing. */
const waiting: ReadonlySet<string> = new Set(['turn.wait', 'root.suggest_title']);

/** How long an operation may take before it is noted, in milliseconds. */
const slow = 1000;

export interface MeasuringParts {
  engine: Pick<LoomEngine, 'call' | 'operations'>;
  measures: Pick<ServerMeasures, 'called'>;
  log: WriteLog;
  /** In milliseconds, since any moment. */
  now: () => number;
}

/** Asks for an operation, counts it and how long it took, and notes it if that was long. */
export async function callMeasured(
  { engine, measures, log, now }: MeasuringParts,
  { name, caller, params }: { name: string; caller: Caller; params: unknown },
): Promise<Outcome<unknown>> {
  const start = now();
  // A name that is none comes from outside: there are as many as clients like.
  const operation = engine.operations.some((row) => row.name === name) ? name : 'unknown';
  let outcome = 'failed';
  try {
    const answer: Outcome<unknown> = await engine.call(name, caller, params);
    outcome = answer.ok ? 'ok' : answer.refusal.reason;
    return answer;
  } finally {
    const milliseconds = now() - start;
    measures.called({ operation, outcome }, milliseconds / 1000);
    if (milliseconds >= slow && !waiting.has(operation)) {
      log({ level: 'warn', event: 'slow', operation, outcome, agent: caller.agent, ms: Math.round(milliseconds) });
    }
  }
}
