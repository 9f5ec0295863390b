import type { Tool } from '@loom/kernel';
import type { ShellPorts } from './shell-ports.ts';

/** Reads the output of commands in the background. */
export function shellOutputTool(ports: Pick<ShellPorts, 'background'>): Tool {
  const load = () => import('./run-background.ts');
  return {
    name: 'shell_output',
    description:
      'Returns what a command that runs in the background has printed, and its exit code once it has ended. Pass next as after to read only what came since.',
    parameters: {
      type: 'object',
      properties: {
        id: { type: 'string', description: 'The id that shell returned.' },
        after: {
          type: 'integer',
          minimum: 0,
          description: 'The value of next from the last call. Default: the last 30000 characters.',
        },
      },
      required: ['id'],
      additionalProperties: false,
    },
    group: 'shell',
    effect: 'reads',
    needsFolder: true,
    prepare: async () => ({ permission: 'run' }),
    run: async (invocation, context) => (await load()).readBackground(ports, invocation, context),
  };
}

/** Stops commands in the background. */
export function shellKillTool(ports: Pick<ShellPorts, 'background'>): Tool {
  const load = () => import('./run-background.ts');
  return {
    name: 'shell_kill',
    description: 'Stops a command that runs in the background, with everything that it has started.',
    parameters: {
      type: 'object',
      properties: { id: { type: 'string', description: 'The id that shell returned.' } },
      required: ['id'],
      additionalProperties: false,
    },
    group: 'shell',
    // It only ends what the same conversation was permitted to start.
    effect: 'reads',
    needsFolder: true,
    prepare: async () => ({ permission: 'run' }),
    run: async (invocation, context) => (await load()).stopBackground(ports, invocation, context),
  };
}
