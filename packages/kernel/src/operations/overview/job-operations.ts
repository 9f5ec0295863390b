import { z } from 'zod';
import type { LoomEngine } from '../calling/engine.ts';
import { jobFacts } from '../../jobs/jobs.ts';
import type { JobFacts } from '../../jobs/jobs.ts';
import { refuse } from '../../refusal.ts';
import { defineOperation } from '../operation.ts';
import type { Caller } from '../operation.ts';
import { pageBehind, pageOf, pageParams } from '../page.ts';
import { suffices } from '../permission.ts';

const job = z.string().min(1).describe('The id of a job, from job.list.');

const listJobs = defineOperation({
  name: 'job.list',
  summary:
    'Lists the jobs that are running and the last ones that ended, the most recently started first. The list feed reports changes to them.',
  params: () =>
    z.strictObject({
      running: z.boolean().exactOptional().describe('Only jobs that are running. Default: false.'),
      ...pageParams,
    }),
  result: () => pageOf(jobFacts),
  effect: 'reads',
  run: async ({ jobs }, caller, { running = false, ...page }) => {
    const seen = jobs.list().filter((facts) => isSeenBy(facts, caller) && (!running || facts.state === 'running'));
    return { ok: true, value: pageBehind(seen, ({ id }) => id, page) };
  },
});

const getJob = defineOperation({
  name: 'job.get',
  summary: 'Returns the progress of a job and, once it is done, its result.',
  params: () => z.strictObject({ job }),
  result: () => jobFacts.extend({ result: z.unknown().exactOptional().describe('The result, once the job is done.') }),
  refusals: ['job-not-found'],
  effect: 'reads',
  run: async (engine, caller, params) => {
    const found = seenJob(engine, caller, params.job);
    if (found === undefined) return refuse({ reason: 'job-not-found', job: params.job });
    const { facts, result } = found;
    return { ok: true, value: result === undefined ? facts : { ...facts, result } };
  },
});

const cancelJob = defineOperation({
  name: 'job.cancel',
  summary:
    'Cancels a job. What it has done so far stays. Only the agent that started the job and owners may cancel it.',
  params: () => z.strictObject({ job }),
  result: () => z.strictObject({ cancelled: z.boolean().describe('False if it had already ended.') }),
  refusals: ['job-not-found'],
  // Cancelling writes to no conversation, and a caller limited to some conversations cancels only jobs that concern these.
  effect: 'reads',
  run: async (engine, caller, params) => {
    const found = seenJob(engine, caller, params.job);
    if (found === undefined) return refuse({ reason: 'job-not-found', job: params.job });
    if (found.facts.agent !== caller.agent && !suffices(caller.role, 'owner'))
      return refuse({ reason: 'not-permitted', needs: 'owner', operation: 'job.cancel' });
    return { ok: true, value: { cancelled: engine.jobs.cancel(params.job) } };
  },
});

function seenJob({ jobs }: LoomEngine, caller: Caller, id: string): ReturnType<LoomEngine['jobs']['get']> {
  const found = jobs.get(id);
  return found !== undefined && isSeenBy(found.facts, caller) ? found : undefined;
}

/**
 * Returns true if a caller may know of a job: a caller limited to some conversations knows only of jobs that concern them.
 */
function isSeenBy({ root }: JobFacts, { roots }: Pick<Caller, 'roots'>): boolean {
  return roots === undefined || (root !== undefined && roots.includes(root));
}

export const jobOperations = [listJobs, getJob, cancelJob] as const;
