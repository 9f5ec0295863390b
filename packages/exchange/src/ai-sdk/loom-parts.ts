import type { MessageBlock } from '@loom/blocks';
import { withoutMessageMark } from './sdk-mark.ts';

/** The UI data part that carries a block which the SDK has no part for. */
export const LOOM_BLOCK = 'data-loom-block';

/** The UI data part that carries a result which is more than one text, or which has no call. */
export const LOOM_RESULT = 'data-loom-result';

/**
 * Returns the block without the fields that only the forest or the message around it may set: identity, authorship, history, its place in a UI
 * message. These are not written into foreign messages and not trusted when they come from there.
 */
export function withoutIdentity<B extends MessageBlock>(block: B): B {
  const copy = withoutMessageMark(block);
  delete copy.block_id;
  delete copy.version;
  delete copy.agent;
  delete copy.created_at;
  delete copy.prefix;
  delete copy.from;
  return copy;
}
