import type { LoomEngine } from '@loom/kernel';
import { answer, answerJson } from '../answers/answer.ts';
import { fail } from '../answers/problems.ts';
import { identityOf } from '../routes/route.ts';
import type { Route } from '../routes/route.ts';
import type { ServerMeasures } from './server-measures.ts';

export interface HealthParts {
  engine: LoomEngine;
  measures: ServerMeasures;
  version: string;
  /** Returns the free space on the disk of the data, in bytes; `undefined` if unknown. */
  diskRoom?: () => Promise<number | undefined>;
}

/** `GET /api/v1/health`, for people and watchdogs, and `GET /metrics`, for Prometheus. Both say nothing of conversations but numbers. */
export function healthRoutes({ engine, measures, version, diskRoom }: HealthParts): Route[] {
  const lookOnce = async (): Promise<Looked> => {
    const room = await diskRoom?.().catch(() => undefined);
    const store = await stateOfStore(engine);
    return { store: store === 'ok' && room !== undefined && room < leastRoom ? 'full' : store, room };
  };
  // However many ask at once, the store is asked once: this route is open to strangers.
  let looking: Promise<Looked> | undefined;
  const look = (): Promise<Looked> => (looking ??= lookOnce().finally(() => (looking = undefined)));
  return [
    {
      method: 'GET',
      path: '/api/v1/health',
      access: 'either',
      async handle({ grant }) {
        const { store, room } = await look();
        const status = store === 'ok' ? 200 : 503;
        // Watchdogs and proxies have no token, and need nothing else.
        if (grant === undefined) return answerJson({ ok: true, value: { up: store === 'ok' } }, status);
        const value = {
          up: store === 'ok',
          version,
          uptime_s: Math.round(process.uptime()),
          store,
          conversations_open: engine.forest.logsInMemory,
          turns_running: engine.turns.running,
          lost_logs: engine.losses.lost.size,
          damaged_logs: engine.forest.damaged.size,
          memory_bytes: process.memoryUsage.rss(),
          ...(room === undefined ? {} : { disk_free_bytes: room }),
        };
        return answerJson({ ok: true, value }, status);
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      access: 'token',
      handle(visit) {
        // A token for some conversations does not say how much the others are used.
        if (identityOf(visit).roots !== undefined) fail('not-found');
        return answer(measures.write(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
      },
    },
  ];
}

/** The least free disk space, in bytes; with less the next write fails. */
const leastRoom = 1024 * 1024;

interface Looked {
  store: 'ok' | 'full' | 'stopping' | 'failed';
  room: number | undefined;
}

/** Checks that the list of conversations can be read. */
async function stateOfStore({ forest, resting }: LoomEngine): Promise<'ok' | 'stopping' | 'failed'> {
  if (resting.aborted) return 'stopping';
  try {
    await forest.pageRoots({ limit: 1 });
    return 'ok';
  } catch {
    return 'failed';
  }
}
