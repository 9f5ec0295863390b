import { createChangeCodec } from '../log/codec/change-codec.ts';
import { formatOfChange } from '../op-format.ts';
import { homeOp } from '../op.ts';
import type { HomeOp } from '../op.ts';

/** Reads and writes the changes of homes. */
export const homeCodec = createChangeCodec<HomeOp>(homeOp, { formatOf: formatOfChange });
