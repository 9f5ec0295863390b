import { z } from 'zod';
import type { PlainObject } from '@loom/blocks';
import { defineOperation, nodeId, pathTo, refuse } from '@loom/kernel';
import type { Caller, LoomEngine, NodeState, Outcome, Provider, Refused, RootState } from '@loom/kernel';

/** The name under which commands are run again for people. */
const provider = 'loom';
const model = 'run-again';

/** Makes the call that its turn's settings name, and says nothing: the caller of a command that is run again. */
export const runAgainProvider: Provider = {
  id: provider,
  callsOnly: true,
  async *stream({ settings }) {
    yield { type: 'call-start' };
    const parameters = settings['run_again'];
    const known = isObject(parameters) ? parameters : {};
    const block = { type: 'tool-use' as const, id: `call_${crypto.randomUUID()}`, name: 'shell', parameters: known };
    yield { type: 'block', message: 'm', role: 'assistant', block };
    yield { type: 'call-end', reason: 'tool-use' };
  },
};

/** The operation that runs the command of a card again. */
export const runAgainOperation = defineOperation({
  name: 'command.run_again',
  summary:
    'Runs the exact command of a result again, in the same folder and sandbox. The call is the approval, so only an owner may make it. The new result stands below the old one, as a separate branch.',
  params: () =>
    z.strictObject({
      node: nodeId.describe('The node of the result that shows the command.'),
      command: z
        .string()
        .exactOptional()
        .describe('The command that the person saw; refused if the node shows another one.'),
    }),
  result: () => z.strictObject({ turn: z.string(), node: z.string().describe('The node that the call begins with.') }),
  refusals: ['node-deleted', 'turn-live', 'unknown-provider', 'turn-not-found'],
  effect: 'runs',
  role: 'owner',
  run: async (engine, caller, { node, command }) => {
    if (caller.type !== 'person')
      return refuse({ reason: 'not-permitted', needs: 'person', operation: 'command.run_again' });
    const root = node.slice(0, node.lastIndexOf('/'));
    const opened = await engine.open(root);
    if (!opened.ok) return opened;
    const found = findCommand(opened.value, node, command);
    if ('ok' in found) return found;
    const { place, parameters } = found;
    const order = { node: place, provider, model, settings: { run_again: parameters }, tools: ['shell'] };
    const started = await engine.turns.generate(caller, root, order);
    if (!started.ok) return started;
    const [turn = ''] = started.value.turns;
    const [begins = ''] = started.value.nodes;
    // Not waited for: the command may run for minutes.
    void approve(engine, caller, root, turn).catch(() => {});
    return { ok: true, value: { turn, node: begins } };
  },
});

interface FoundCommand {
  /** The node below which it runs again. */
  place: string;
  parameters: PlainObject;
}

function findCommand(state: RootState, id: string, seen: string | undefined): FoundCommand | Refused {
  const node = state.nodes.get(id);
  const block = node?.blocks.find(({ type }) => type === 'command');
  if (node === undefined || block?.type !== 'command') return refuseNode('shows no command');
  if (seen !== undefined && seen !== block.command) return refuseNode('shows another command now');
  const call = pathTo(state, id)
    .flatMap(({ blocks }) => blocks)
    .findLast((one) => one.type === 'tool-use' && one.id === node.tool_call_id);
  const given = call?.type === 'tool-use' ? call.parameters : {};
  // The command is the one that ran; a person may have changed the model's.
  const { timeout_ms: time, network } = given;
  return {
    place: lastResult(state, node),
    parameters: {
      command: block.command,
      ...(typeof time === 'number' ? { timeout_ms: time } : {}),
      ...(network === true ? { network } : {}),
    },
  };
}

/** The last of the results that answer one message: below it every call has its result. */
function lastResult(state: RootState, node: NodeState): string {
  let last = node.id;
  for (;;) {
    const next = state.children.get(last)?.find((id) => {
      const child = state.nodes.get(id);
      return child?.role === 'tool' && child.turn === node.turn;
    });
    if (next === undefined) return last;
    last = next;
  }
}

/** Approves the call of a turn in the name of the owner who asked for it, bound to its exact arguments. */
async function approve(engine: LoomEngine, { agent, id }: Caller, root: string, turn: string): Promise<void> {
  for (;;) {
    const state = await engine.forest.log(root).state();
    const node = [...state.nodes.values()].findLast((one) => one.turn === turn && one.role === 'tool');
    if (state.turns.get(turn)?.ended !== undefined || (node !== undefined && node.tool !== 'waiting')) return;
    const call =
      node &&
      pathTo(state, node.id)
        .flatMap(({ blocks }) => blocks)
        .findLast((block) => block.type === 'tool-use');
    if (node?.ask !== undefined && call?.type === 'tool-use') {
      const exact = call.arguments ?? JSON.stringify(call.parameters);
      const decision = { node: node.id, decision: 'approved' as const, arguments: exact };
      await engine.turns.decide({ agent, id: `${id}/approve`, type: 'person' }, root, decision);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function refuseNode(problem: string): Refused & Outcome<never> {
  return refuse({ reason: 'invalid-params', problems: [{ path: ['node'], problem }] });
}

function isObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
