/** Why line edits were not made, as data for the caller, which has to correct them. */
export type LineRefusal = LineOperationRefusal | BatchRefusal;

/** What is wrong with one operation. */
export type LineOperationRefusal =
  | { reason: 'line-out-of-range'; message: string; line: number; line_count: number }
  | {
      reason: 'text-mismatch';
      message: string;
      expected: string;
      actual: string;
      start_line: number;
      end_line: number;
    }
  | { reason: 'version-mismatch'; message: string; start_line: number; end_line: number }
  | { reason: 'invalid-params'; message: string };

/** One operation of several cannot be applied, so none was. */
export interface BatchRefusal {
  reason: 'batch-failed';
  message: string;
  op_index: number;
  refusal: LineOperationRefusal;
}

/** The refusal of a call: of a batch it also says which operation is to blame. */
export function refuseOperation(index: number, operations: number, refusal: LineOperationRefusal): LineRefusal {
  if (operations === 1) return refusal;
  const message = `operation ${index} of ${operations}, counted from 0, cannot be applied, so none was: ${refusal.message}`;
  return { reason: 'batch-failed', message, op_index: index, refusal };
}
