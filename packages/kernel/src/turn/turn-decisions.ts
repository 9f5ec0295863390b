import { deniedBlock, encodeAgentId, interruptedText, isBlank, stableDeepEqual } from '@loom/blocks';
import type { MessageBlock, TextBlock, ToolUseBlock, UserBlock } from '@loom/blocks';
import { withNewId } from '../forest/editing/append.ts';
import { liveTurnAt } from '../forest/editing/obstacles.ts';
import { isVisible } from '../state/tree/tree.ts';
import type { Decision } from '../log/log-shape.ts';
import type { NodeState } from '../state/node-state.ts';
import type { DecisionScope, NodeSeed, PermissionRule, RootOp, ToolState } from '../op.ts';
import type { ToolDescription } from '../provider.ts';
import { areCovered } from './deciding/allowed-rules.ts';
import { refuseMisfit } from './deciding/approval-params.ts';
import type { ApprovalParams } from './deciding/approval-params.ts';
import type { NextStep } from '../next-step.ts';
import { refuse } from '../refusal.ts';
import type { Refused } from '../refusal.ts';
import type { RootState, TurnState } from '../state/root-state.ts';

/** The holder of a turn that waits for a person and that no process runs. */
export const noHolder = '';

/** The reason that a turn ended. */
export type EndReason = Extract<RootOp, { type: 'turn-ended' }>['reason'];

/** The task of a turn. */
export type TurnStart = Omit<Extract<RootOp, { type: 'turn-started' }>, 'type' | 'node' | 'tools' | 'told' | 'answer'>;

/** Starts turns side by side below a node, all or none. One that is written in the same change is seen if `below` is, the node that it hangs below. */
export function decideStart(
  state: RootState,
  { node, below = node }: { node: string; below?: string },
  starts: readonly TurnStart[],
  offered: readonly ToolDescription[],
): Decision<RootOp, { turns: string[]; nodes: string[] }> {
  if (!isVisible(state, below) || node === state.id) {
    return refuse({ reason: 'node-not-found', node });
  }
  const live = below === node ? liveTurnAt(state, node) : undefined;
  if (live !== undefined) {
    return refuse({ reason: 'turn-live', turns: [live], node, where: 'above' });
  }
  const told = offered.length > 0 && stableDeepEqual(state.told, offered) ? ('same' as const) : [...offered];
  const tools = offered.map(({ name }) => name);
  const nodes = starts.map(() => state.newNodeId());
  const ops = starts.map((start, index): RootOp => ({
    type: 'turn-started',
    ...start,
    node,
    tools,
    told,
    answer: nodes[index] ?? '',
  }));
  return { ok: true, ops, value: { turns: starts.map(({ turn }) => turn), nodes } };
}

/**
 * The fence: refuses every write of a turn once its end is in the log, or once another process has taken it over. A process
 * that was stopped for an hour and wakes up can do no harm.
 */
export function insideTurn<T>(
  state: RootState,
  turn: string,
  holder: string,
  decide: (turn: TurnState) => Decision<RootOp, T>,
): Decision<RootOp, T> {
  const running = state.turns.get(turn);
  if (running === undefined) return refuse({ reason: 'turn-not-found', turn });
  if (running.ended !== undefined) return refuseEnded(turn, running.ended.reason);
  if (running.holder !== holder) return refuse({ reason: 'lease-lost', turn });
  return decide(running);
}

/**
 * Ends a turn so that nothing of it is left open, in one change: blocks that were being written keep their text and become
 * `error: interrupted`, or `error: stopped` if a person has stopped the turn; calls without a result are answered in the same way, unless
 * they are left to the caller. Used for every end there is.
 */
export function decideEnd(
  state: RootState,
  turn: string,
  reason: EndReason,
  error?: { code: string; message: string },
): Decision<RootOp, null> {
  const running = state.turns.get(turn);
  if (running === undefined) return refuse({ reason: 'turn-not-found', turn });
  if (running.ended !== undefined) return refuseEnded(turn, running.ended.reason);
  const [nodes, vacated] = withoutVacated(state, nodesOfTurn(state, running));
  const code = reason === 'aborted' ? 'stopped' : 'interrupted';
  const open = nodes.flatMap((node) => closeNode(state, node, code));
  const ops = [...vacated, ...open, ...answerCalls(state, running, nodes, code)];
  const cause = error ?? (nodes.length === 0 ? silentCause(running, reason) : undefined);
  ops.push({ type: 'turn-ended', turn, reason, ...(cause === undefined ? {} : { error: cause }) });
  return { ok: true, ops, value: null };
}

/** Decides what happens to a model's words after one call when more may follow in its turn. */
export function decideAfterCall(state: RootState, turn: string, now: string): RootOp[] {
  const running = state.turns.get(turn);
  if (running === undefined) return [];
  const [nodes, vacated] = withoutVacated(state, nodesOfTurn(state, running));
  const over = nodes.flatMap((node) => {
    if (!isRunByProvider(callOf(state, node))) return [];
    const hasWords = node.blocks.some(({ type }) => type !== 'conversation');
    return hasWords ? callState(state, node.id, 'result', now) : closeNode(state, node);
  });
  const results = addResultNodes(state, running, nodes, (call) =>
    isRunByProvider(call) ? interruptedNode(state, call) : { blocks: [], tool: 'waiting' },
  );
  return [...vacated, ...over, ...results];
}

/** The nodes of a turn without its last one, if everything that was said in it was taken back, and the ops that remove that one. */
function withoutVacated(state: RootState, nodes: readonly NodeState[]): [NodeState[], RootOp[]] {
  const last = nodes.at(-1);
  const isVacated = last?.role === 'assistant' && last.blocks.length === 0 && !state.children.get(last.id)?.length;
  return isVacated ? [nodes.slice(0, -1), [{ type: 'node-removed', node: last.id }]] : [[...nodes], []];
}

function refuseEnded(turn: string, end: string, next?: NextStep): Refused {
  return refuse({ reason: 'turn-ended', turn, end, ...(next === undefined ? {} : { next }) });
}

/** Returns the cause of a turn that was stopped before its first word: nothing in the tree shows it. */
function silentCause({ provider }: TurnState, reason: EndReason): { code: string; message: string } | undefined {
  if (reason !== 'aborted' && reason !== 'interrupted') return undefined;
  return { code: reason, message: `The provider ${provider} was stopped before it said anything.` };
}

/** The reason that something was not completed: a person has stopped it, or it ended with its process. */
type CutCode = 'stopped' | 'interrupted';

/** The ops that answer a call as interrupted. */
function interruptCall(state: RootState, node: NodeState, code: CutCode): RootOp[] {
  return finishCall(state, node, 'interrupted', [interruptedResult(toolName(node), code)]);
}

/** A model always reads the same; people also read which tool it was. */
function interruptedResult(tool: string, code: CutCode = 'interrupted'): TextBlock {
  const message = `The tool ${tool} was stopped before it returned a result.`;
  return { type: 'text', text: interruptedText, status: 'error', error: { code, message } };
}

/** Returns true if Loom does not run a call because its provider has. */
export function isRunByProvider(call: ToolUseBlock | undefined): boolean {
  return call?.executed === 'provider';
}

/** A call whose arguments are complete. */
function isCompleteCall(block: MessageBlock): block is ToolUseBlock {
  return block.type === 'tool-use' && block.status === 'done';
}

/** The ops that answer every call of a turn that may have begun in a process that is gone. */
export function interruptBegun(state: RootState, turn: TurnState): RootOp[] {
  return nodesOfTurn(state, turn).flatMap((node) => (node.tool === 'running' ? closeNode(state, node) : []));
}

/**
 * Returns the ops that record the state of a call that a provider runs itself; one that has ended stays as it is, except
 * that a later report may mark its result as an error.
 */
export function callState(state: RootState, id: string, tool: Exclude<ToolState, 'waiting'>, now: string): RootOp[] {
  const node = state.nodes.get(id);
  if (node === undefined) return [];
  const isOver = node.tool !== 'waiting' && node.tool !== 'running';
  if (isOver && !(node.tool === 'result' && tool === 'error')) return [];
  const content = node.blocks.length > 0 ? [] : emptyResult(node, tool);
  if (tool !== 'running') return finishCall(state, node, tool, content, now);
  const ask = node.ask === undefined ? {} : { ask: null };
  return [{ type: 'node-changed', node: id, set: { tool, started_at: now, ...ask } }];
}

/** Returns the text that a model reads of a call that ended without a word. */
function emptyResult(node: NodeState, tool: ToolState): MessageBlock[] {
  if (tool === 'denied') return [deniedBlock(undefined)];
  return tool === 'interrupted' ? [interruptedResult(toolName(node))] : [];
}

/** The ops that answer a call as denied. */
export function denyCall(state: RootState, node: NodeState, reason: string | undefined): RootOp[] {
  return finishCall(state, node, 'denied', [deniedBlock(reason)]);
}

/** The ops that put a result into the node that waits for it. */
export function finishCall(
  state: RootState,
  node: NodeState,
  tool: 'result' | 'error' | 'denied' | 'interrupted',
  content: readonly MessageBlock[],
  ended?: string,
): RootOp[] {
  const added = content.map((block, index): RootOp => {
    const { status = 'done', ...rest } = block;
    return {
      type: 'block-added',
      node: node.id,
      index: node.blocks.length + index,
      block: { ...rest, block_id: state.newBlockId(toolAgent(toolName(node))), status },
    };
  });
  const set = {
    tool,
    ...(tool === 'result' ? {} : { is_error: true }),
    ...(ended === undefined ? {} : { ended_at: ended }),
    ...(node.ask === undefined ? {} : { ask: null }),
  };
  return [...added, { type: 'node-changed', node: node.id, set }];
}

function toolName({ source }: NodeState): string {
  return source.type === 'tool_result' ? source.tool_name : '';
}

/** The agent that a tool's result is by. */
export function toolAgent(tool: string): string {
  return `tool:${encodeAgentId(tool)}`;
}

/** The call that a tool node answers: the nearest one above it, in the messages of its own turn. */
export function callOf(state: RootState, node: NodeState): ToolUseBlock | undefined {
  for (let above = state.nodes.get(node.parent); above !== undefined; above = state.nodes.get(above.parent)) {
    if (above.turn !== node.turn) return undefined;
    const call = above.blocks.find((block) => block.type === 'tool-use' && block.id === node.tool_call_id);
    if (call?.type === 'tool-use') return call;
  }
  return undefined;
}

/** Returns true if a turn has calls whose results are not there yet, so that its agent will go on. */
export function hasOpenCalls(state: RootState, turn: TurnState): boolean {
  const nodes = nodesOfTurn(state, turn);
  return unansweredCalls(nodes).length > 0 || nodes.some(({ tool }) => tool === 'waiting' || tool === 'running');
}

/** The complete calls of a turn that no node answers, in their order. An id may be used again once its call is answered. */
function unansweredCalls(nodes: readonly NodeState[]): ToolUseBlock[] {
  const unanswered = new Map<string, ToolUseBlock>();
  for (const node of nodes) {
    for (const call of node.blocks.filter(isCompleteCall)) unanswered.set(call.id, call);
    if (node.role === 'tool') unanswered.delete(node.tool_call_id ?? '');
  }
  return [...unanswered.values()];
}

/** The ops that add nodes for the results of all calls of a turn that have none, one below the other; those that are left to the caller get none. */
function addResultNodes(
  state: RootState,
  { id: turn, leavesCalls }: TurnState,
  nodes: readonly NodeState[],
  result: (call: ToolUseBlock) => Pick<NodeSeed, 'blocks' | 'tool' | 'is_error'>,
): Extract<RootOp, { type: 'node-added' }>[] {
  let parent = nodes.at(-1)?.id ?? '';
  const calls = unansweredCalls(nodes).filter((call) => leavesCalls !== true || isRunByProvider(call));
  return calls.map((call) => {
    const id = state.newNodeId();
    const source = { type: 'tool_result' as const, tool_name: call.name };
    const place = { id, parent, role: 'tool' as const, source, tool_call_id: call.id, turn };
    parent = id;
    return { type: 'node-added', node: { ...place, ...result(call) } };
  });
}

/** The nodes that a turn has written, from the top down. */
export function nodesOfTurn(state: RootState, turn: TurnState): NodeState[] {
  const nodes: NodeState[] = [];
  const pending = [turn.node];
  for (let id = pending.shift(); id !== undefined; id = pending.shift()) {
    for (const child of state.children.get(id) ?? []) {
      const node = state.nodes.get(child);
      if (node?.turn !== turn.id || node.deleted === true) continue;
      nodes.push(node);
      pending.push(child);
    }
  }
  return nodes;
}

/** Ends a block that its agent does not go on writing; its text stays. */
export function interruptBlock(
  { block_id: block = '', agent = 'the writer' }: MessageBlock,
  code: CutCode = 'interrupted',
): RootOp {
  const error = { code, message: `${agent} was stopped before this was complete` };
  return { type: 'status', block, status: 'error', error };
}

function closeNode(state: RootState, node: NodeState, code: CutCode = 'interrupted'): RootOp[] {
  const open = node.blocks
    .filter(({ status }) => status === 'running' || status === 'pending')
    .map((block) => interruptBlock(block, code));
  return node.tool === 'waiting' || node.tool === 'running' ? [...open, ...interruptCall(state, node, code)] : open;
}

/** Ends what a turn has open, while the turn itself goes on. */
export function decideCloseCalls(state: RootState, turn: string): Decision<RootOp, null> {
  const running = state.turns.get(turn);
  if (running === undefined) return refuse({ reason: 'turn-not-found', turn });
  const [nodes, vacated] = withoutVacated(state, nodesOfTurn(state, running));
  const open = nodes.flatMap((node) => closeNode(state, node));
  return { ok: true, ops: [...vacated, ...open, ...answerCalls(state, running, nodes, 'interrupted')], value: null };
}

/** Answers complete calls that have got no node for their result yet, below everything else. */
function answerCalls(state: RootState, turn: TurnState, nodes: readonly NodeState[], code: CutCode): RootOp[] {
  return addResultNodes(state, turn, nodes, (call) => interruptedNode(state, call, code));
}

function interruptedNode(
  state: RootState,
  { name }: ToolUseBlock,
  code: CutCode = 'interrupted',
): Pick<NodeSeed, 'blocks' | 'tool' | 'is_error'> {
  const block = { ...interruptedResult(name, code), block_id: state.newBlockId(toolAgent(name)) };
  return { blocks: [block], is_error: true, tool: 'interrupted' };
}

/** Keeps a message for a turn that is still running. */
export function decideWait(
  state: RootState,
  agent: string,
  turn: string,
  kind: 'steer' | 'queue',
  { id, blocks, ...sent }: { id: string; blocks: readonly UserBlock[]; credential?: string },
): Decision<RootOp, null> {
  const running = state.turns.get(turn);
  if (running === undefined) return refuse({ reason: 'turn-not-found', turn });
  if (running.ended !== undefined) return refuseEnded(turn, running.ended.reason, { type: 'append' });
  if (blocks.every((block) => block.type === 'text' && isBlank(block.text))) {
    return refuse({ reason: 'empty-message' });
  }
  const identified = blocks.map((block) => withNewId(state, agent, block)).flatMap(asUserBlock);
  return { ok: true, ops: [{ type: 'message-waiting', id, turn, kind, blocks: identified, ...sent }], value: null };
}

function asUserBlock(block: MessageBlock): UserBlock[] {
  return block.type === 'text' || block.type === 'image' || block.type === 'raw' ? [block] : [];
}

/**
 * Logs a decision; with a holder that process also takes the turn over. Without one another process must be running it: a
 * decision that no process acts upon would be lost.
 */
export function decideApproval(
  state: RootState,
  params: ApprovalParams,
  holder: string | undefined,
): Decision<RootOp, { turn: string }> {
  const node = state.nodes.get(params.node);
  const turn = state.turns.get(node?.turn ?? '');
  if (node === undefined || turn === undefined) return refuse({ reason: 'call-not-found', node: params.node });
  if (turn.ended !== undefined) return refuseEnded(turn.id, turn.ended.reason);
  if (state.approvals.has(node.id)) return refuse({ reason: 'already-decided', node: node.id });
  if (node.tool !== 'waiting')
    return refuse({ reason: 'not-waiting', node: node.id, ...(node.tool === undefined ? {} : { state: node.tool }) });
  const call = callOf(state, node);
  if (call === undefined || exactArguments(call) !== params.arguments) {
    return refuse({ reason: 'call-changed', node: node.id });
  }
  if (holder === undefined && turn.holder === noHolder) {
    return refuse({ reason: 'lease-lost', turn: turn.id });
  }
  const misfit = refuseMisfit(params, node.ask);
  if (misfit !== undefined) return misfit;
  const { mode = node.ask?.modes?.[0], ...decision } = params;
  const { scope = 'once' } = decision;
  const rules = scope === 'once' ? undefined : node.ask?.rules;
  const ops: RootOp[] = [{ type: 'approval', turn: turn.id, ...decision, ...(rules === undefined ? {} : { rules }) }];
  if (node.ask !== undefined) ops.push({ type: 'node-changed', node: node.id, set: { ask: null } });
  if (params.decision === 'approved' && mode !== undefined && node.ask?.modes !== undefined)
    ops.push({ type: 'root-changed', config: { ...state.config, approval_mode: mode } });
  if (params.decision === 'approved' && rules !== undefined)
    ops.push(...approveCovered(state, turn, node, scope, rules));
  if (holder !== undefined) {
    ops.push(...interruptBegun(state, turn), { type: 'turn-taken', turn: turn.id, holder });
  }
  return { ok: true, ops, value: { turn: turn.id } };
}

/** The ops that approve the other calls of a turn which wait for the very rules that were allowed. */
function approveCovered(
  state: RootState,
  turn: TurnState,
  decided: NodeState,
  scope: DecisionScope,
  allowed: readonly PermissionRule[],
): RootOp[] {
  return nodesOfTurn(state, turn).flatMap((node): RootOp[] => {
    const call = callOf(state, node);
    const { kind, rules } = node.ask ?? {};
    const isWaiting = node !== decided && node.tool === 'waiting' && kind === 'ask' && !state.approvals.has(node.id);
    if (!isWaiting || call === undefined || rules === undefined || !areCovered(rules, allowed)) return [];
    const exact = exactArguments(call);
    return [
      { type: 'approval', turn: turn.id, node: node.id, decision: 'approved', arguments: exact, scope, rules },
      { type: 'node-changed', node: node.id, set: { ask: null } },
    ];
  });
}

/** The argument string as the model wrote it. */
export function exactArguments(call: ToolUseBlock): string {
  return call.arguments ?? JSON.stringify(call.parameters);
}
