import type { PlainObject } from '@loom/blocks';

/** Returns a part without its signature, which is kept beside it: the kernel removes a signature that is no longer valid. */
export function unsigned({ thoughtSignature: _signature, ...part }: PlainObject): PlainObject {
  return part;
}
