import type { ToolBlock } from '@loom/blocks';
import type { PreparedCall, ToolContext, ToolInvocation } from '@loom/kernel';
import { readSimpleCommand } from '../command-line/simple-command.ts';
import { preparedBy } from '../policy/permissions.ts';
import { denyCall, readParameters } from '../tool-text.ts';
import { dangerOfCommand } from './code-in-arguments.ts';
import { interactiveAdvice } from './interactive.ts';
import { offeredRule } from './offered-rule.ts';
import { shellParameters } from './shell-parameters.ts';
import type { ShellPorts } from './shell-ports.ts';

export const noFolder =
  'This conversation has no folder, so no command can run. Ask the person to choose one (loom chat --dir, or the folder above the message box).';

/** Decides if a command may run; a person who is asked sees the exact command, where it would run, and why there is a question. */
export async function prepareShell(
  { sandbox, permissions }: ShellPorts,
  invocation: ToolInvocation,
  context: ToolContext,
): Promise<PreparedCall> {
  const read = readParameters(shellParameters, invocation);
  // A call that cannot be read does nothing, so no person is asked.
  if (!read.ok) return { permission: 'run' };
  const { directory } = context;
  if (directory === undefined) return denyCall(noFolder);
  const { command: line, network = false, background = false, description } = read.parameters;
  const advice = interactiveAdvice(line);
  if (advice !== undefined) return denyCall(`The command was not run: ${advice}`);
  const { available, reason = '' } = await (await sandbox()).state();
  const shown: ToolBlock[] = [{ type: 'command', command: line }];
  const command = readSimpleCommand(line);
  const danger = dangerOfCommand(line, command);
  const decision = await (
    await permissions()
  ).decide(
    {
      tool: 'shell',
      effect: 'runs',
      command,
      // Without a sandbox every command has the network; the person is told.
      ...(network && available ? { host: '*' } : {}),
      isSandboxed: available,
      danger,
      offer: command.ok ? [offeredRule(command.words, network && available)] : [],
    },
    context,
  );
  const place = available
    ? `in a sandbox ${network ? 'with access to the network' : 'without network'}, where it can change only ${context.approvalMode === 'plan' ? 'a private /tmp' : 'this folder'}`
    : `without a sandbox, with all your rights. ${reason}`;
  const words = [
    ...(description === undefined || description.trim() === ''
      ? []
      : [`Purpose, in the model's words: ${description.trim()}`]),
    `Runs in ${directory}, ${place}${place.endsWith('.') ? '' : '.'}`,
    ...(background ? ['It goes on in the background until it ends, is stopped, or Loom ends.'] : []),
    ...(command.ok ? [] : [`No rule can cover it: ${command.reason}.`]),
  ];
  return preparedBy(decision, [...shown, { type: 'text', text: words.join('\n') }]);
}
