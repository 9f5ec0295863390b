import { z } from 'zod';
import type { LoomEngine, RootState } from '@loom/kernel';
import type { RootOp } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';
import { rootCodec as codec } from '@loom/kernel/logs';

/**
 * A defect that the simulator must find. It is built around the kernel, never into it: `fence-removed` shows turns as live and as their own to the
 * process that writes for them, `conflict-ignored` appends after other writers without looking, `tool-rerun` takes calls that were running when a
 * process died for calls that have not begun, `blind-retry` writes again what the store failed at without looking if it is there,
 * `notifications-lost` keeps processes from ever hearing of an append, and `approver-unchecked` lets whoever decides pass for a person.
 */
export const plantedFaults = [
  'fence-removed',
  'conflict-ignored',
  'tool-rerun',
  'blind-retry',
  'notifications-lost',
  'approver-unchecked',
] as const;
export type PlantedFault = (typeof plantedFaults)[number];

export function plantInStore(store: Store, fault: PlantedFault | undefined): Store {
  return fault === 'conflict-ignored' ? ignoreConflicts(store) : store;
}

/** The facts that a planted fault needs about its process. */
export interface PlantingSite {
  engine: LoomEngine;
  root: string;
  holder: string;
  newId: () => string;
  isDead: (holder: string) => boolean;
}

export function plantInEngine(site: PlantingSite, fault: PlantedFault | undefined): void {
  if (fault === 'fence-removed') removeFence(site);
  if (fault === 'tool-rerun') forgetStarts(site);
  if (fault === 'blind-retry') retryBlindly(site);
  if (fault === 'approver-unchecked') takeForPersons(site);
}

function ignoreConflicts(store: Store): Store {
  return {
    ...store,
    async append(log, request) {
      const result = await store.append(log, request);
      if (result.ok || result.conflict.tail.length === 0) return result;
      const { epoch, tail } = result.conflict;
      const expectedSeq = tail.at(-1)?.seq ?? 0;
      const changes = request.records.flatMap(({ text }) => codec.decode(text));
      const records = codec.encodeBatch(changes.map((change, index) => ({ ...change, seq: expectedSeq + 1 + index })));
      return store.append(log, { epoch, expectedSeq, records });
    },
  };
}

function removeFence({ engine, root, holder }: PlantingSite): void {
  const log = engine.forest.log(root);
  const append: typeof log.append = log.append.bind(log);
  const unfenced: typeof log.append = (request, schema, decide, after) => {
    const { turn } = request;
    const unfencedDecide: typeof decide = (state, editor) =>
      decide(turn === undefined ? state : withLiveTurn(state, turn, holder), editor);
    return append(request, schema, unfencedDecide, after);
  };
  Reflect.set(log, 'append', unfenced);
}

function retryBlindly({ engine, root }: PlantingSite): void {
  const log = engine.forest.log(root);
  const append: typeof log.append = log.append.bind(log);
  const blind: typeof log.append = (request, schema, decide) => append(request, schema, decide);
  Reflect.set(log, 'append', blind);
}

/** Returns the state, except that a turn looks as if it were still running in this process. */
function withLiveTurn(state: RootState, id: string, holder: string): RootState {
  const turns = new Map(state.turns);
  const turn = turns.get(id);
  if (turn !== undefined) {
    const { ended: _ended, ...live } = turn;
    turns.set(id, { ...live, holder });
  }
  return new Proxy(state, {
    get(target, name) {
      if (name === 'turns') return turns;
      const value: unknown = Reflect.get(target, name, target);
      // Private fields are accessible only through the state itself.
      return typeof value === 'function'
        ? (...given: unknown[]): unknown => Reflect.apply(value, target, given)
        : value;
    },
  });
}

function takeForPersons({ engine: { turns } }: PlantingSite): void {
  const decide = turns.decide.bind(turns);
  const unchecked: typeof turns.decide = (request, root, params) =>
    decide({ ...request, type: 'person' }, root, params);
  Reflect.set(turns, 'decide', unchecked);
}

function forgetStarts({ engine, root, newId, isDead }: PlantingSite): void {
  const recover = engine.recover.bind(engine);
  Reflect.set(engine, 'recover', async (): Promise<void> => {
    const request = { agent: 'loom:forgetful', id: newId() };
    await engine.forest.change(request, root, z.null(), (state) => {
      return { ok: true, ops: resetCalls(state, isDead), value: null };
    });
    await recover(root);
  });
}

function resetCalls(state: RootState, isDead: (holder: string) => boolean): RootOp[] {
  const orphaned = [...state.liveTurns].filter((turn) => isDead(state.turns.get(turn)?.holder ?? ''));
  return [...state.nodes.values()]
    .filter(({ tool, turn }) => tool === 'running' && orphaned.includes(turn ?? ''))
    .flatMap(({ id, blocks }): RootOp[] => [
      // The call looks as if it had not begun, so its streamed blocks count as complete.
      ...blocks
        .filter(({ status }) => status === 'running')
        .map(({ block_id: block = '' }): RootOp => ({ type: 'status', block, status: 'done' })),
      { type: 'node-changed', node: id, set: { tool: 'waiting' } },
    ]);
}
