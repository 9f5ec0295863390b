import { openBlock } from '@loom/kernel';
import type { Clock, Tool, ToolOutcome, ToolOutput } from '@loom/kernel';
import { pick } from '../fingerprint.ts';
import { pause } from '../../pause.ts';
import { objectWith, refuse, textFor, textParameter } from './parameters.ts';

/** Pretends to run a command, after the user agreed: its output comes line by line, so that it can be seen running. */
export function runCommand(clock: Clock): Tool {
  return {
    name: 'run_command',
    description: 'Pretends to run a shell command; no process is started.',
    parameters: objectWith({ command: textFor('The command line') }),
    async prepare(invocation) {
      const command = textParameter(invocation, 'command');
      if (command === undefined || command === '') return { permission: 'ask' };
      return {
        permission: 'ask',
        preview: [{ type: 'command', command }],
        rules: [{ tool: 'run_command', command, effect: 'allow' }],
      };
    },
    async run(invocation, { signal }, out) {
      const command = textParameter(invocation, 'command')?.trim();
      if (command === undefined || command === '') return refuse('run_command needs the parameter "command".');
      const counted = /^seq (\d{1,8})$/u.exec(command)?.[1];
      if (counted !== undefined) return countTo(Number(counted), command, clock, signal, out);
      const {
        stdout = '',
        stderr = '',
        exit_code = 0,
      } = outputs.get(command) ?? { stdout: `(pretended) ${command}\n` };
      const shown = openBlock(out, { type: 'command', command, stdout: '', stderr: '' });
      const lines = [...linesOf(stdout, 'stdout'), ...linesOf(stderr, 'stderr'), { field: undefined, text: '' }];
      const duration = 200 + pick(command, 600);
      for (const { field, text } of lines) {
        if (!(await pause(clock, duration / lines.length, signal))) {
          await shown.end();
          return refuse(`Stopped while running: ${command}`);
        }
        if (field !== undefined) await shown.append(field, text);
      }
      await shown.end({ exit_code, duration_ms: duration });
      const text = `Exit code ${exit_code}\n${stdout}${stderr}`;
      return { content: [{ type: 'text', text }], ...(exit_code === 0 ? {} : { is_error: true }) };
    },
  };
}

/** Counted in one piece of output. */
const numbersAtOnce = 2000;

/** Prints numbers, as many as one likes: what is long is kept as a file, which the model is shown the ends of. */
async function countTo(
  last: number,
  command: string,
  clock: Clock,
  signal: AbortSignal,
  out: ToolOutput,
): Promise<ToolOutcome> {
  const shown = openBlock(out, { type: 'command', command, stdout: '' });
  for (let first = 1; first <= last; first += numbersAtOnce) {
    const numbers = Array.from({ length: Math.min(numbersAtOnce, last - first + 1) }, (_, index) => first + index);
    await shown.append('stdout', `${numbers.join('\n')}\n`);
    if (await pause(clock, 1, signal)) continue;
    await shown.end();
    return refuse(`Stopped while running: ${command}`);
  }
  await shown.end({ exit_code: 0 });
  return { content: [] };
}

function linesOf(text: string, field: 'stdout' | 'stderr'): { field: 'stdout' | 'stderr'; text: string }[] {
  return (text.match(/[^\n]*\n|[^\n]+/gu) ?? []).map((line) => ({ field, text: line }));
}

interface Output {
  stdout?: string;
  stderr?: string;
  exit_code?: number;
}

const outputs: ReadonlyMap<string, Output> = new Map<string, Output>([
  ['npm test', { stdout: '✔ greets by name\n✔ greets everybody else too\n\ntests 2\npass 2\nfail 0\n' }],
  ['ls', { stdout: 'README.md\ngreeting.md\nnotes\n' }],
  ['git status', { stdout: 'On branch main\nnothing to commit, working tree clean\n' }],
  ['false', { exit_code: 1 }],
  ['cat missing.txt', { stderr: 'cat: missing.txt: No such file or directory\n', exit_code: 1 }],
]);
