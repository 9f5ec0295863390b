import type { CommandBlock } from '../../content-block.ts';
import { codexOutput } from './command-text.ts';
import type { CommandReport } from './command-text.ts';
import { definedFields, integerIn, objectIn, textIn } from '../foreign.ts';
import type { View } from '../view.ts';

/** Claude Code's TaskOutput: the output of a command in the background. Sub-agents in the background have separate conversations. */
export const taskOutputView: View = {
  ofCall: () => [],
  ofResult(_parameters, { details }) {
    const task = objectIn(details, 'task');
    const title = textIn(task, 'command', 'description');
    if (title === undefined || textIn(task, 'task_type') !== 'local_bash') return [];
    const isRunning = textIn(task, 'status') === 'running';
    return [
      runBlock(title, {
        stdout: textIn(task, 'output'),
        exit_code: integerIn(task, 'exitCode'),
        notes: { task_id: textIn(task, 'task_id'), running: isRunning ? true : undefined },
      }),
    ];
  },
};

/** Codex's write_stdin: the input typed into a running command, and its output since. */
export const stdinView: View = {
  ofCall: () => [],
  ofResult(parameters, { text, failed }) {
    const session = integerIn(parameters, 'session_id');
    const typed = textIn(parameters, 'chars')?.trimEnd();
    const report = failed || text === undefined ? undefined : codexOutput(text, false);
    if (session === undefined || report === undefined) return [];
    const title = typed === undefined || typed === '' ? `session ${session}` : typed;
    return [runBlock(title, { ...report, notes: { session_id: session, ...report.notes } })];
  },
};

/** Makes a block that shows the name of the run instead of a command line. */
function runBlock(command: string, { stdout, exit_code, duration_ms, notes }: CommandReport): CommandBlock {
  return {
    type: 'command',
    command,
    ...(stdout === undefined || stdout === '' ? {} : { stdout }),
    ...(exit_code === undefined ? {} : { exit_code }),
    ...(duration_ms === undefined ? {} : { duration_ms }),
    metadata: { basis: 'title', ...definedFields(notes ?? {}) },
  };
}
