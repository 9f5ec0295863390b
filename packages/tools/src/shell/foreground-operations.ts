import { z } from 'zod';
import { defineOperation, nodeId, refuse } from '@loom/kernel';
import type { ForegroundCommand, ForegroundCommands } from './foreground-commands.ts';

/** The operations about commands that turns wait for. They know only those that this process runs. */
export function foregroundOperations(running: ForegroundCommands) {
  const params = () => z.strictObject({ node: nodeId.describe('The node of the result that shows the command.') });
  const stop = defineOperation({
    name: 'command.stop',
    summary:
      'Stops a command that a turn waits for. The turn goes on: the model reads what it printed, and who stopped it.',
    params,
    result: () => z.strictObject({}),
    refusals: ['process-not-found'],
    effect: 'runs',
    run: async (_engine, _caller, { node }) => {
      const command = running.get(node);
      if (command === undefined) return missing(node);
      command.stop();
      return { ok: true, value: {} };
    },
  });
  const move = defineOperation({
    name: 'command.move_to_background',
    summary:
      'Lets a command that a turn waits for go on in the background, without its time limit. The turn goes on. Only an owner may do this, because the command was permitted with the limit.',
    params,
    result: () => z.strictObject({ id: z.string().describe('Its id in process.list.') }),
    refusals: ['process-not-found'],
    effect: 'runs',
    role: 'owner',
    run: async (_engine, { type }, { node }) => {
      if (type !== 'person')
        return refuse({ reason: 'not-permitted', needs: 'person', operation: 'command.move_to_background' });
      const id = await moved(running.get(node));
      return id === undefined ? missing(node) : { ok: true, value: { id } };
    },
  });
  return [stop, move] as const;
}

async function moved(command: ForegroundCommand | undefined): Promise<string | undefined> {
  return command?.move();
}

function missing(node: string) {
  return refuse({ reason: 'process-not-found', process: node });
}
