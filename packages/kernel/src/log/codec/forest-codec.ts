import { createChangeCodec } from './change-codec.ts';
import { formatOfChange } from '../../op-format.ts';
import { forestOp } from '../../op.ts';
import type { ForestOp } from '../../op.ts';

/** The log of the list of roots. */
export const forestLogName = 'forest';

/** Reads and writes the changes of the list of roots. */
export const forestCodec = createChangeCodec<ForestOp>(forestOp, { formatOf: formatOfChange });
