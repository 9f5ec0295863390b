import type { NodeState } from '../../state/node-state.ts';

/** Tells if a message is being written, waits for a person, or has gone wrong. */
export function progressOf({
  tool,
  is_error: isError,
  blocks,
}: NodeState): 'running' | 'waiting' | 'error' | undefined {
  if (tool === 'waiting') return 'waiting';
  if (tool === 'running' || blocks.some(({ status }) => status === 'running')) return 'running';
  // A message that a person stopped has not gone wrong.
  if (blocks.some(({ error }) => error?.code === 'stopped')) return undefined;
  return isError === true || blocks.some(({ type, status }) => type === 'error' || status === 'error')
    ? 'error'
    : undefined;
}
