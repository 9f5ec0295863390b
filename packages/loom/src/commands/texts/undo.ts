import type { Call } from '../../command-line/command.ts';
import type { ExitCode } from '../../command-line/exit-codes.ts';
import { flipLast } from '../../texts/last-change.ts';

/** `loom undo [block]` */
export function undoLast(call: Call): Promise<ExitCode> {
  return flipLast('undo', call);
}

/** `loom redo [block]` */
export function redoLast(call: Call): Promise<ExitCode> {
  return flipLast('redo', call);
}
