import type { Clock, Operation, Tool } from '@loom/kernel';
import { ask } from './ask/ask.ts';
import { currentDate } from './date/current-date.ts';
import { exitPlan } from './plan/exit-plan.ts';
import { todo } from './todo/todo.ts';
import { fileTools } from './files/file-tools.ts';

/** The parts of the host that tools work with. */
export interface ToolsPorts {
  clock: Clock;
}

/** The tools that come with Loom, and the operations about them. */
export interface Toolbox {
  tools: readonly Tool[];
  operations: readonly Operation[];
  /** Ends what tools have started. */
  close: () => Promise<void>;
}

/** Makes the tools. It only describes them: their code is loaded by the first call. */
export function createTools({ clock }: ToolsPorts): Toolbox {
  return {
    tools: [ask, currentDate(clock), exitPlan, ...fileTools({ clock }), todo],
    operations: [],
    close: () => Promise.resolve(),
  };
}
