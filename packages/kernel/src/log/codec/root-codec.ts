import { createChangeCodec } from './change-codec.ts';
import { formatOfChange } from '../../op-format.ts';
import { rootOp } from '../../op.ts';
import { admitQuickly } from './quick-admission.ts';
import { appendFolding } from '../segment.ts';

/** Reads and writes the changes of a root's log. */
export const rootCodec = createChangeCodec(rootOp, {
  folding: appendFolding,
  quick: admitQuickly,
  formatOf: formatOfChange,
});
