import type { PlainObject } from '@loom/blocks';

/** A part without its signature, which is kept beside it: the kernel takes it off where it does not hold any more. */
export function unsigned({ thoughtSignature: _signature, ...part }: PlainObject): PlainObject {
  return part;
}
