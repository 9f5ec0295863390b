import { z } from 'zod';
import type { ToolUseBlock } from '@loom/blocks';
import { parseToolArguments } from '@loom/blocks/legacy';
import type { NodeState } from '../node-state.ts';
import type { RootOp } from '../op.ts';
import type { ApprovalState, RootState } from '../root-state.ts';
import type { Tool, ToolInvocation, ToolPermission } from '../tool.ts';
import { outsourceLarge } from './large-output.ts';
import type { StopPatience } from './stop-patience.ts';
import { askPermission, runTool } from './tool-door.ts';
import { addResultNodes, callOf, denyCall, exactArguments, finishCall, nodesOfTurn } from './turn-decisions.ts';
import { TurnStopped } from './turn-writer.ts';
import type { TurnWriter } from './turn-writer.ts';

/** Adds a chain of nodes that wait for the results of a turn's calls, in the order of the calls, in one change. */
export async function addWaitingCalls(writer: TurnWriter): Promise<void> {
  await writer.write(z.null(), (state, turn) => {
    const ops = addResultNodes(state, turn.id, nodesOfTurn(state, turn), () => ({ blocks: [], tool: 'waiting' }));
    return { ok: true, ops, value: null };
  });
}

/** What running calls needs beyond writing. */
export interface ToolRoundScope {
  writer: TurnWriter;
  /** The tools that this turn may use. */
  tools: ReadonlyMap<string, Tool>;
  patience: StopPatience;
  /** Tells everything that the turn has begun to stop. */
  stop: () => void;
  /** Waits for a person's decision about a call; rejects when the turn is stopped. */
  decision: (node: string) => Promise<ApprovalState>;
}

/** Brings every call to its end, side by side: result, error or denied. */
export async function runCalls(scope: ToolRoundScope, nodes: readonly string[]): Promise<void> {
  const calls = nodes.map((node) => runCall(scope, node));
  try {
    await Promise.all(calls);
  } catch (error) {
    scope.stop();
    // Nothing goes on behind the back of a turn that is over.
    await Promise.allSettled(calls);
    throw error;
  }
}

async function runCall(scope: ToolRoundScope, id: string): Promise<void> {
  const { writer, tools } = scope;
  const state = await writer.scope.log.state();
  const node = state.nodes.get(id);
  const call = node === undefined ? undefined : callOf(state, node);
  if (node === undefined || call === undefined || node.tool !== 'waiting') return;
  const ready = prepareCall(call, tools);
  if (!ready.ok) return fail(scope, id, ready.message);
  const { tool, invocation, permission } = ready;
  let words: string | undefined;
  if (permission !== 'run') {
    const approval = await scope.decision(id);
    if (approval.decision === 'denied' || approval.arguments !== invocation.arguments) {
      await answer(scope, id, 'waiting', (current, waiting) => denyCall(current, waiting, approval.text));
      return;
    }
    words = approval.text;
  }
  await start(scope, id, tool, invocation, words);
}

/** Whether a call could not go on without a person, as far as this process knows its tool. */
export function needsPerson(state: RootState, node: NodeState, tools: ReadonlyMap<string, Tool>): boolean {
  const call = callOf(state, node);
  if (call === undefined) return false;
  const ready = prepareCall(call, tools);
  return ready.ok && ready.permission !== 'run';
}

type PreparedCall =
  | { ok: true; tool: Tool; invocation: ToolInvocation; permission: ToolPermission }
  | { ok: false; message: string };

function prepareCall(call: ToolUseBlock, tools: ReadonlyMap<string, Tool>): PreparedCall {
  const tool = tools.get(call.name);
  if (tool === undefined) return { ok: false, message: `There is no tool named ${call.name}.` };
  const exact = exactArguments(call);
  const parsed = parseToolArguments(exact);
  if (!parsed.ok) return { ok: false, message: `The arguments are not a JSON object: ${parsed.parseError}` };
  const { id, name } = call;
  // Parsed again: what a tool does to its parameters must not change the call in the log.
  const invocation = { id, name, parameters: parsed.fields.parameters, arguments: exact };
  const asked = askPermission(tool, invocation);
  return asked.ok ? { ok: true, tool, invocation, permission: asked.permission } : asked;
}

/** Runs a tool. That it may have begun is in the log before it begins, so that it is never run a second time. */
async function start(
  scope: ToolRoundScope,
  id: string,
  tool: Tool,
  invocation: ToolInvocation,
  words: string | undefined,
): Promise<void> {
  const { writer, patience } = scope;
  const { turn } = writer.scope;
  await writer.writeOps((state) => {
    if (state.nodes.get(id)?.tool !== 'waiting') throw new TurnStopped('call-taken');
    return [
      { type: 'tool-started', turn, node: id },
      { type: 'node-changed', node: id, set: { tool: 'running' } },
    ];
  });
  const { content, isError } = await runTool(tool, invocation, patience, words);
  const kept = await Promise.all(content.map((block) => outsourceLarge(block, 'tool', writer.scope.putBlob)));
  await answer(scope, id, 'running', (state, node) => finishCall(state, node, isError ? 'error' : 'result', kept));
}

async function fail(scope: ToolRoundScope, id: string, message: string): Promise<void> {
  await answer(scope, id, 'waiting', (state, node) => {
    return finishCall(state, node, 'error', [{ type: 'text', text: message }]);
  });
}

/** Writes a call's result, unless another process has answered the call since: it has exactly one result. */
async function answer(
  { writer }: ToolRoundScope,
  id: string,
  expected: 'waiting' | 'running',
  result: (state: RootState, node: NodeState) => RootOp[],
): Promise<void> {
  await writer.writeOps((state) => {
    const node = state.nodes.get(id);
    return node?.tool === expected ? result(state, node) : [];
  });
}
