import { refuse } from '../refusal.ts';
import type { Outcome } from '../refusal.ts';
import type { LogRewrite } from '../store.ts';
import type { KeptLinesPort } from './kept-lines.ts';
import { planPurge } from './purge-plan.ts';
import type { PurgedLogs, PurgePlan, PurgeTarget } from './purge-plan.ts';
import { noteBlobs, removeNotedBlobs } from './purged-blobs.ts';

/** The roots and nodes purged from the logs, for parts that keep copies of them. */
export type Purged = Pick<PurgePlan, 'roots' | 'nodes'>;

/** Knows the copies of conversations that are kept outside of the store: readable files, indexes, histories of typing. */
export interface CopiesPort extends KeptLinesPort {
  /**
   * Removes purged words from the copies, has the logs rewritten, and makes the copies again from them. Resolves to the
   * result of the rewriting, once nothing of it is left in any of them.
   */
  forget(purged: Purged, rewrite: () => Promise<boolean>): Promise<boolean>;
}

/** A store without copies outside of it. */
export const noCopies: CopiesPort = { forget: (_purged, rewrite) => rewrite() };

export interface PurgeParts extends PurgedLogs {
  copies: CopiesPort;
}

/**
 * Removes every trace of what some blocks or conversations ever said, while others read and write. Their logs start over
 * under new epochs, so that their followers read them again. Refused while a turn runs in one of them: it holds what it was
 * told.
 */
export async function purgeBlocks(logs: PurgeParts, target: PurgeTarget): Promise<Outcome<PurgePlan>> {
  const { copies } = logs;
  let plan = await planPurge(logs, target);
  for (let attempt = 1; ; attempt += 1) {
    const [live] = plan.live;
    if (live !== undefined) {
      return refuse({ reason: 'turn-live', turns: live.turns, node: live.root, where: 'inside' });
    }
    const { logs: rewrites } = plan;
    await noteBlobs(logs.store, plan.blobs);
    if (await copies.forget(plan, () => rewrite(logs, rewrites))) break;
    const ids = rewrites.map(({ log }) => log);
    if (attempt === mostAttempts) return refuse({ reason: 'changed-since', ids, what: 'changed' });
    // Another writer was faster; its changes may hold a copy.
    plan = await planPurge(logs, target);
  }
  // A log that cannot be read may cite any of them.
  if (plan.unread.length === 0) await removeNotedBlobs(logs.store);
  return { ok: true, value: plan };
}

/** Rewrites logs, and has this process read them again before anything is answered or made of them. */
async function rewrite({ forest, store }: PurgedLogs, rewrites: readonly LogRewrite[]): Promise<boolean> {
  if (!(await store.rewrite(rewrites))) return false;
  // A log shows its former state until it is read again.
  for (const { log } of rewrites) await forest.log(log).state();
  return true;
}

const mostAttempts = 5;
