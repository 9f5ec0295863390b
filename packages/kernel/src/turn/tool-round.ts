import { z } from 'zod';
import type { ToolUseBlock } from '@loom/blocks';
import { parseToolArguments } from '@loom/blocks/legacy';
import type { NodeState } from '../node-state.ts';
import type { RootOp } from '../op.ts';
import type { ApprovalState, RootState } from '../root-state.ts';
import type { StopSignal } from '../stop-signal.ts';
import type { Tool, ToolInvocation, ToolOutcome } from '../tool.ts';
import { callOf, denyCall, exactArguments, finishCall, isCompleteCall } from './turn-decisions.ts';
import { TurnStopped } from './turn-writer.ts';
import type { TurnWriter } from './turn-writer.ts';

/** Adds a chain of nodes that wait for the results of a message's calls, in the order of the calls, in one change. */
export async function addWaitingCalls(writer: TurnWriter, assistant: string): Promise<string[]> {
  const { turn } = writer.scope;
  return writer.write(z.array(z.string()), (state) => {
    const calls = (state.nodes.get(assistant)?.blocks ?? []).filter(isCompleteCall);
    const ops: RootOp[] = [];
    const nodes: string[] = [];
    let parent = assistant;
    for (const call of calls) {
      const id = state.newNodeId();
      const source = { type: 'tool_result' as const, tool_name: call.name };
      ops.push({
        type: 'node-added',
        node: { id, parent, role: 'tool', blocks: [], source, tool_call_id: call.id, turn, tool: 'waiting' },
      });
      nodes.push(id);
      parent = id;
    }
    return { ok: true, ops, value: nodes };
  });
}

/** What running calls needs beyond writing. */
export interface ToolRoundScope {
  writer: TurnWriter;
  /** The tools that this turn may use. */
  tools: ReadonlyMap<string, Tool>;
  signal: StopSignal;
  /** Waits for a person's decision about a call; rejects when the turn is stopped. */
  decision: (node: string) => Promise<ApprovalState>;
}

/** Brings every call to its end, side by side: result, error or denied. */
export async function runCalls(scope: ToolRoundScope, nodes: readonly string[]): Promise<void> {
  await Promise.all(nodes.map((node) => runCall(scope, node)));
}

async function runCall(scope: ToolRoundScope, id: string): Promise<void> {
  const { writer, tools } = scope;
  const state = await writer.scope.log.state();
  const node = state.nodes.get(id);
  const call = node === undefined ? undefined : callOf(state, node);
  if (node === undefined || call === undefined || node.tool !== 'waiting') return;
  const ready = prepareCall(call, tools);
  if (!ready.ok) return fail(scope, id, ready.message);
  const { tool, invocation } = ready;
  let words: string | undefined;
  if (tool.permission(invocation) !== 'run') {
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
  return ready.ok && ready.tool.permission(ready.invocation) !== 'run';
}

type PreparedCall = { ok: true; tool: Tool; invocation: ToolInvocation } | { ok: false; message: string };

function prepareCall(call: ToolUseBlock, tools: ReadonlyMap<string, Tool>): PreparedCall {
  const tool = tools.get(call.name);
  if (tool === undefined) return { ok: false, message: `There is no tool named ${call.name}.` };
  const exact = exactArguments(call);
  const parsed = parseToolArguments(exact);
  if (!parsed.ok) return { ok: false, message: `The arguments are not a JSON object: ${parsed.parseError}` };
  const { id, name, parameters } = call;
  return { ok: true, tool, invocation: { id, name, parameters, arguments: exact } };
}

/** Runs a tool. That it may have begun is in the log before it begins, so that nobody ever runs it a second time. */
async function start(
  scope: ToolRoundScope,
  id: string,
  tool: Tool,
  invocation: ToolInvocation,
  words: string | undefined,
): Promise<void> {
  const { writer, signal } = scope;
  const { turn } = writer.scope;
  await writer.writeOps((state) => {
    if (state.nodes.get(id)?.tool !== 'waiting') throw new TurnStopped('call-taken');
    return [
      { type: 'tool-started', turn, node: id },
      { type: 'node-changed', node: id, set: { tool: 'running' } },
    ];
  });
  const outcome = await settle(tool.run(invocation, signal, words));
  const ended = outcome.is_error === true ? 'error' : 'result';
  await answer(scope, id, 'running', (state, node) => finishCall(state, node, ended, outcome.content));
}

/** A tool that breaks has answered, too. */
async function settle(running: Promise<ToolOutcome>): Promise<ToolOutcome> {
  try {
    return await running;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { is_error: true, content: [{ type: 'text', text }] };
  }
}

async function fail(scope: ToolRoundScope, id: string, message: string): Promise<void> {
  await answer(scope, id, 'waiting', (state, node) => {
    return finishCall(state, node, 'error', [{ type: 'text', text: message }]);
  });
}

/** Writes a call's result, unless somebody else has answered the call since: it has exactly one result. */
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
