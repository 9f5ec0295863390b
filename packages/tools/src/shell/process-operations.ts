import { z } from 'zod';
import { defineOperation, refuse, rootId } from '@loom/kernel';
import type { Caller, Outcome } from '@loom/kernel';
import type { BackgroundCommands, BackgroundFacts } from './background-commands.ts';

const facts = () => ({
  id: z.string(),
  root: z.string().describe('The conversation that it belongs to.'),
  node: z.string().describe('The node of the call that started it.'),
  command: z.string(),
  started_at: z.string().describe('As ISO 8601 in UTC.'),
  pid: z.int(),
  state: z.enum(['running', 'exited', 'stopped']),
  exit_code: z.int().exactOptional(),
  printed: z.int().describe('The characters that it has printed so far.'),
  tail: z.string().describe('The end of what it has printed.'),
});

/** The operations about commands that run in the background. */
export function processOperations(background: () => Promise<BackgroundCommands>) {
  const list = defineOperation({
    name: 'process.list',
    summary: 'Lists the commands that run in the background, and those that ended lately. They end with Loom.',
    params: () => z.strictObject({ root: rootId.exactOptional().describe('Only those of this conversation.') }),
    result: () => z.strictObject({ items: z.array(z.strictObject(facts())) }),
    effect: 'reads',
    run: async (_engine, caller, { root }) => {
      const isShown = (one: string): boolean => maySee(caller, one) && (root === undefined || root === one);
      return { ok: true, value: { items: (await background()).list(isShown) } };
    },
  });
  const output = defineOperation({
    name: 'process.output',
    summary: 'Returns what a command in the background has printed behind a place; without one, its end.',
    params: () =>
      z.strictObject({
        id: z.string().describe('From process.list.'),
        after: z.int().nonnegative().exactOptional().describe('The value of next from the last call.'),
      }),
    result: () =>
      z.strictObject({
        text: z.string(),
        next: z.int().describe('The place to go on from.'),
        lost: z.int().describe('The characters in between that are no longer kept.'),
        state: z.enum(['running', 'exited', 'stopped']),
        exit_code: z.int().exactOptional(),
      }),
    refusals: ['process-not-found'],
    effect: 'reads',
    run: async (_engine, caller, { id, after }) => {
      const commands = await background();
      const found = findFor(commands, caller, id);
      const said = found.ok ? commands.output(id, after) : undefined;
      return said === undefined ? missing(id) : { ok: true, value: said };
    },
  });
  const stop = defineOperation({
    name: 'process.stop',
    summary: 'Stops a command in the background, with everything that it has started.',
    params: () => z.strictObject({ id: z.string().describe('From process.list.') }),
    result: () => z.strictObject({ state: z.enum(['running', 'exited', 'stopped']) }),
    refusals: ['process-not-found'],
    effect: 'runs',
    run: async (_engine, caller, { id }) => {
      const commands = await background();
      const found = findFor(commands, caller, id);
      const stopped = found.ok ? await commands.stop(id) : undefined;
      return stopped === undefined ? missing(id) : { ok: true, value: { state: stopped.state } };
    },
  });
  return [list, output, stop] as const;
}

function findFor(commands: BackgroundCommands, caller: Caller, id: string): Outcome<BackgroundFacts> {
  const found = commands.find(id);
  // One of a conversation that the caller may not use counts as missing.
  return found === undefined || !maySee(caller, found.root) ? missing(id) : { ok: true, value: found };
}

function missing(id: string) {
  return refuse({ reason: 'process-not-found', process: id });
}

function maySee({ roots }: Caller, root: string): boolean {
  return roots === undefined || roots.includes(root);
}
