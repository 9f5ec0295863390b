import { nearest } from '@loom/blocks/nearest-word';
import { refuseMissingBlock } from '../../forest/reading/block-place.ts';
import type { LoomEngine } from './engine.ts';
import { isAboutOneLog, StoreError } from '../../store.ts';
import { refuseMissingNode } from '../../forest/editing/obstacles.ts';
import { refuseMalformed } from '../../request.ts';
import { refuse, refuseParams } from '../../refusal.ts';
import type { Outcome, Refused } from '../../refusal.ts';
import { digestOf } from './bound-requests.ts';
import { idsNamed } from '../../forest/ids.ts';
import type { NamedId } from '../../forest/ids.ts';
import type { Caller, Operation } from '../operation.ts';
import { refuseCaller } from '../permission.ts';

/** A table by name. A name that two rows have is a defect of the program that joined the lists. */
export function tableOf(rows: readonly Operation[]): ReadonlyMap<string, Operation> {
  const table = new Map(rows.map((row) => [row.name, row]));
  if (table.size === rows.length) return table;
  const twice = rows.filter((row) => table.get(row.name) !== row).map(({ name }) => name);
  throw new TypeError(`two operations have the same name: ${twice.join(', ')}`);
}

/** Runs an operation that was asked for by name: the one way in, for every door. */
export async function callOperation(
  engine: LoomEngine,
  operation: Operation | undefined,
  { name, caller, params }: { name: string; caller: Caller; params: unknown },
): Promise<Outcome<unknown>> {
  if (operation === undefined) return refuseUnknown(name, engine.operations);
  const malformed = refuseMalformed(caller);
  if (malformed !== undefined) return malformed;
  const read = operation.params.safeParse(params);
  if (!read.success) return refuseParams(read.error);
  const named = idsNamed(operation.params, read.data);
  const denied = refuseCaller(
    operation,
    caller,
    named.map(({ root }) => root),
  );
  if (denied !== undefined) return denied;
  for (const id of named) {
    const isThere = await isOpened(engine, id);
    if (!isThere && !id.mayBeGone) return refuseMissing(id);
  }
  // Work begun now could not be finished.
  if (engine.resting.aborted && operation.effect !== 'reads') throw closed();
  const digest = operation.effect === 'reads' ? undefined : digestOf(engine.hash, operation, params);
  if (digest === undefined) return operation.run(engine, caller, read.data);
  return engine.requests.run(caller, { digest, isSecret: operation.isSecret }, () =>
    operation.run(engine, { ...caller, digest }, read.data),
  );
}

/**
 * Opens a log; one that turns out to be damaged is reported as that from now on, in the list and wherever else damage is
 * shown.
 */
async function isOpened(engine: LoomEngine, { root, mayBeGone }: NamedId): Promise<boolean> {
  try {
    return (await engine.open(root)).ok;
  } catch (error) {
    if (!isAboutOneLog(error)) throw error;
    engine.forest.damaged.set(root, error);
    if (mayBeGone) return false;
    throw error;
  }
}

function closed(): StoreError {
  return new StoreError('store-closed', 'Loom is closed, or about to be', 'Open it again.');
}

/** A caller that names a node or a block of no conversation need not know what that is. */
function refuseMissing({ id, kind, root }: NamedId): Refused {
  if (kind === 'block') return refuseMissingBlock(id);
  return kind === 'node' ? refuseMissingNode(id) : refuse({ reason: 'root-not-found', root });
}

/** Refuses an unknown operation and suggests close names. */
export function refuseUnknown(name: string, operations: readonly Operation[]): Refused {
  const names = operations.map((operation) => operation.name);
  return refuse({ reason: 'unknown-operation', operation: name, nearest: nearNames(name, names) });
}

/** The name that was probably meant, else those about the same noun. */
function nearNames(name: string, names: readonly string[]): string[] {
  const likely = nearest(name, names);
  if (likely !== undefined) return [likely];
  const [noun = ''] = name.split('.');
  return names.filter((other) => other.startsWith(`${noun}.`));
}
