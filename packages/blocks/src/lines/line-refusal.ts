import type { ValueProblem } from '../values/schema-problem.ts';

/** The reason that line edits were not made, as data for the caller, which has to correct them. */
export type LineRefusal = LineOperationRefusal | BatchRefusal;

/** The problem with one operation. */
export type LineOperationRefusal =
  | { reason: 'line-out-of-range'; line: number; line_count: number }
  | { reason: 'text-mismatch'; expected: string; actual: string; start_line: number; end_line: number }
  | { reason: 'version-mismatch'; start_line: number; end_line: number }
  | { reason: 'invalid-params'; problems: ValueProblem[] };

/** One operation of several cannot be applied, so none was. */
export interface BatchRefusal {
  reason: 'batch-failed';
  /** The index of the operation, counted from 0, and the number of operations. */
  op_index: number;
  operations: number;
  refusal: LineOperationRefusal;
}

/** The refusal of a call: of a batch it also says which operation is to blame. */
export function refuseOperation(index: number, operations: number, refusal: LineOperationRefusal): LineRefusal {
  return operations === 1 ? refusal : { reason: 'batch-failed', op_index: index, operations, refusal };
}
