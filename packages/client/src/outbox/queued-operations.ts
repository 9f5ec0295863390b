import type { ParamsOf } from '@loom/kernel';

/**
 * The operations that may wait until the server is there again: each says what it is about so exactly that it means the same
 * later, and its key keeps it from being done twice. The other changing operations are not for people (`client.add`,
 * `document.update`), or count bytes of a text that may be another one by then (`block.splice`), or show first what would be
 * removed (`block.purge`).
 */
export const changingOperations = [
  'root.create',
  'root.find_or_create',
  'root.mark',
  'root.configure',
  'root.remove',
  'root.restore',
  'home.set',
  'draft.create',
  'draft.remove',
  'node.append',
  'node.edit',
  'node.fork',
  'node.remove',
  'node.remove_children',
  'node.remove_siblings',
  'node.restore',
  'node.move',
  'node.merge',
  'node.mark',
  'node.bookmark',
  'tree.undo',
  'tree.redo',
  'block.create',
  'block.status',
  'block.append',
  'block.edit',
  'block.apply_patch',
  'block.undo',
  'block.redo',
  'block.replace',
] as const;

/** The operations that let a model work, or decide what it does: they may wait only if the caller says so. */
export const runningOperations = [
  'turn.start',
  'turn.retry',
  'turn.abort',
  'turn.steer',
  'turn.queue',
  'turn.reorder',
  'turn.withdraw',
  'turn.decide',
] as const;

export type ChangingOperation = (typeof changingOperations)[number];
export type RunningOperation = (typeof runningOperations)[number];
export type QueuedOperation = ChangingOperation | RunningOperation;

/** The parameters of an operation that may have to wait: an edit says which text it was made for. */
export type QueuedParams<Name extends QueuedOperation> = ParamsOf<Name> & GuardOf<Name>;

type GuardOf<Name extends QueuedOperation> = Name extends 'block.edit'
  ? { base_version: number }
  : Name extends 'block.replace'
    ? { content: string; expected_text: string }
    : Name extends 'node.edit'
      ? { mode: 'sibling' } | { expected: NonNullable<ParamsOf<'node.edit'>['expected']> }
      : unknown;

export function isQueueable(name: string): boolean {
  return isRunning(name) || changingOperations.some((known) => known === name);
}

function isRunning(name: string): boolean {
  return runningOperations.some((known) => known === name);
}

/** Throws, as a mistake of the program, for an operation that must not wait. */
export function assertQueueable(name: string, params: object, isRunAllowed: boolean): void {
  if (!isQueueable(name)) throw new TypeError(`${name} cannot wait for the server; call it while the server is there`);
  if (isRunning(name) && !isRunAllowed)
    throw new TypeError(`${name} lets a model work: it waits for the server only with { runs: true }`);
  const guard = missingGuard(name, params);
  if (guard !== undefined) throw new TypeError(`${name} waits for the server only with ${guard}`);
}

function missingGuard(name: string, params: object): string | undefined {
  if (name === 'block.edit') return 'base_version' in params ? undefined : 'base_version';
  if (name === 'block.replace')
    return 'expected_text' in params ? undefined : 'a text as content and with expected_text';
  if (name !== 'node.edit' || 'expected' in params || ('mode' in params && params.mode === 'sibling')) return undefined;
  return 'expected, or with the mode sibling';
}
