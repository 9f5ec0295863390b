import { createChangeCodec } from '../log/change.ts';
import { rootOp } from '../op.ts';
import { admitQuickly } from '../log/quick-admission.ts';
import { appendFolding } from '../log/segment.ts';

/** Reads and writes the changes of a root's log. */
export const rootCodec = createChangeCodec(rootOp, appendFolding, admitQuickly);
