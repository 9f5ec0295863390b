import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { measureTexts } from '../../forest/reading/text-size.ts';
import { refuse } from '../../refusal.ts';
import { refuseLimited } from '../permission.ts';

/** The port to the folder that holds the data. */
export interface DataPort {
  /** Returns the size of each part of the folder, in bytes. */
  sizes(): Promise<{ part: string; bytes: number }[]>;
}

export function dataOperations(port: DataPort) {
  return [
    defineOperation({
      name: 'data.sizes',
      summary: 'Returns the disk usage of the data folder, by part, in bytes.',
      params: () => z.strictObject({}),
      result: () =>
        z.strictObject({
          total: z.int(),
          parts: z.array(z.strictObject({ part: z.string(), bytes: z.int() })),
        }),
      effect: 'reads',
      role: 'owner',
      run: async (_engine, caller) => {
        const denied = refuseLimited(caller, 'data.sizes');
        if (denied !== undefined) return denied;
        const parts = await port.sizes();
        return { ok: true, value: { total: parts.reduce((sum, { bytes }) => sum + bytes, 0), parts } };
      },
    }),
    defineOperation({
      name: 'data.acknowledge_losses',
      summary:
        'Confirms that a person knows about the logs that have lost acknowledged changes, as listed by root.list, so that they are no longer reported. Nothing else changes.',
      params: () => z.strictObject({}),
      result: () => z.strictObject({ acknowledged: z.int().describe('The number of logs.') }),
      effect: 'changes',
      role: 'owner',
      run: async (engine, caller) => {
        if (caller.type !== 'person')
          return refuse({ reason: 'not-permitted', needs: 'person', operation: 'data.acknowledge_losses' });
        const outcome = await engine.acknowledgeLosses(caller);
        return outcome.ok ? { ok: true, value: { acknowledged: outcome.value } } : outcome;
      },
    }),
    defineOperation({
      name: 'data.measure',
      summary:
        'Starts a job that measures how much text all conversations contain, and returns its id at once. job.get returns the result.',
      params: () => z.strictObject({}),
      result: () =>
        z.strictObject({ job: z.string().describe('The id of the job. Its result: {bytes, conversations}.') }),
      effect: 'runs',
      role: 'owner',
      run: async (engine, { agent }) => {
        const about = { kind: 'data.measure', agent, words: 'Measuring texts' };
        const job = engine.jobs.start(about, ({ signal, report }) =>
          measureTexts(engine.forest, {
            signal,
            report: (done, all) =>
              report(`${done} of ${all === 1 ? '1 conversation' : `${all} conversations`}`, done / all),
          }),
        );
        return { ok: true, value: { job } };
      },
    }),
  ] as const;
}
