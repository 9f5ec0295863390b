import type { PlainObject } from '@loom/blocks';
import { hasFailed } from './natives.ts';
import type { Answer } from '../foreign/answer.ts';

/** Returns the end state of a call, by Codex's report or, without a report, by the text that it showed the model. */
export function stateOf(text: string | undefined, native: PlainObject | undefined): Answer['state'] {
  if (native?.status === 'declined' || (text !== undefined && denied.test(text.slice(0, 300)))) return 'denied';
  if (text !== undefined && aborted.test(text)) return 'interrupted';
  if (native !== undefined && hasFailed(native)) return 'error';
  if (text === undefined) return 'result';
  return failed.test(text) || hasExitCode(text) ? 'error' : 'result';
}

const denied = /^(?:exec[ _]command|patch|command|tool call|exec_command failed)[^\n]{0,200}rejected by user/i;
const aborted = /^(?:aborted by user(?: after|$)|aborted$)/;
const failed =
  /^(?:apply_patch verification failed|exec_command failed|unsupported (?:call|custom tool call)|failed to parse function arguments|tool call error|execution error)/;

/** Returns true if a command ended with a code other than zero: among the first lines, or in the JSON of older versions. */
function hasExitCode(text: string): boolean {
  if (text.startsWith('{"')) return codeOfJson(text) !== 0;
  const output = text.indexOf('\nOutput:');
  if (output === -1 || output > 400) return false;
  const code = /^(?:Exit code:|Process exited with code) (-?\d{1,9})$/m.exec(text.slice(0, output))?.[1];
  return code !== undefined && code !== '0';
}

/** Finds the code at the end; within the output its quotes would be escaped. */
function codeOfJson(text: string): number {
  const code = /"metadata":\{"exit_code":(-?\d{1,9})\b/.exec(text.slice(-300))?.[1];
  return code === undefined ? 0 : Number(code);
}
