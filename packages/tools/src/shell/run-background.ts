import type { ToolContext, ToolInvocation, ToolOutcome } from '@loom/kernel';
import { readParameters, refuseCall } from '../tool-text.ts';
import type { BackgroundCommands } from './background-commands.ts';
import { killParameters, outputParameters } from './shell-parameters.ts';
import type { ShellPorts } from './shell-ports.ts';

type Ports = Pick<ShellPorts, 'background'>;

/** Returns what a command in the background has printed. */
export async function readBackground(
  { background }: Ports,
  invocation: ToolInvocation,
  { root }: ToolContext,
): Promise<ToolOutcome> {
  const read = readParameters(outputParameters, invocation);
  if (!read.ok) return refuseCall(read.problem);
  const { id, after } = read.parameters;
  const commands = await background();
  const output = commands.find(id)?.root === root ? commands.output(id, after) : undefined;
  if (output === undefined) return refuseCall(unknown(commands, id, root));
  const { text, next, lost, state, exit_code: code } = output;
  const words = [
    ...(lost === 0 ? [] : [`[${lost} characters before this are no longer kept]`]),
    ...(text === '' ? [] : [text.replace(/\n$/u, '')]),
    `[${state}${code === undefined ? '' : `, exit code ${code}`}; next: ${next}]`,
  ];
  return { content: [{ type: 'text', text: words.join('\n') }] };
}

/** Stops a command in the background. */
export async function stopBackground(
  { background }: Ports,
  invocation: ToolInvocation,
  { root }: ToolContext,
): Promise<ToolOutcome> {
  const read = readParameters(killParameters, invocation);
  if (!read.ok) return refuseCall(read.problem);
  const { id } = read.parameters;
  const commands = await background();
  const stopped = commands.find(id)?.root === root ? await commands.stop(id) : undefined;
  if (stopped === undefined) return refuseCall(unknown(commands, id, root));
  return { content: [{ type: 'text', text: `${id} is ${stopped.state}.` }] };
}

function unknown(commands: BackgroundCommands, id: string, root: string): string {
  const known = commands.list((one) => one === root).map((command) => command.id);
  const list = known.length === 0 ? 'None runs in this conversation' : `Known here: ${known.join(', ')}`;
  return `There is no command ${id} in the background; they end with Loom. ${list}.`;
}
