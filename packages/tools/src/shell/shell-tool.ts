import type { Tool } from '@loom/kernel';
import type { ShellPorts } from './shell-ports.ts';

/** Runs command lines in the folder of the conversation. Its code is loaded by the first call. */
export function shellTool(ports: ShellPorts): Tool {
  return {
    name: 'shell',
    aliases: ['execute_shell'],
    description: [
      'Runs a command line with bash in the folder of the conversation and returns its output and exit code.',
      'Each call starts a new shell: cd and variables do not last.',
      'There is no terminal, and the input is at its end: do not start editors, pagers or programs that ask questions.',
      'Where a sandbox exists, only the folder and /tmp can be changed, and there is no network unless network is true, which a person has to allow.',
      'Use the tools read, list, search, edit and write for files where they are offered.',
    ].join(' '),
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'string', description: 'The command line, as bash reads it.' },
        timeout_ms: {
          type: 'integer',
          minimum: 1,
          maximum: 600_000,
          description: 'The command is stopped after this time. Default: 120000, two minutes.',
        },
        background: {
          type: 'boolean',
          description:
            'True for a command that goes on, such as a server: an id is returned at once, for shell_output and shell_kill.',
        },
        network: { type: 'boolean', description: 'True if the command needs the network, as to install packages.' },
        description: { type: 'string', description: 'A few words for the person who approves it: its purpose.' },
      },
      required: ['command'],
      additionalProperties: false,
    },
    group: 'shell',
    effect: 'runs',
    needsFolder: true,
    prepare: async (invocation, context) =>
      (await import('./prepare-shell.ts')).prepareShell(ports, invocation, context),
    run: async (invocation, context, out) => (await import('./run-shell.ts')).runShell(ports, invocation, context, out),
  };
}
