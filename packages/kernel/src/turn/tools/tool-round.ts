import type { ToolBlock, ToolUseBlock } from '@loom/blocks';
import { parseToolArguments } from '@loom/blocks/legacy';
import { isoTime } from '../../iso-time.ts';
import type { NodeState } from '../../state/node-state.ts';
import type { Ask, PermissionRule, RootOp } from '../../op.ts';
import type { Clock } from '../../ports.ts';
import type { ApprovalState, RootState } from '../../state/root-state.ts';
import type { Tool, ToolContext, ToolInvocation } from '../../tool.ts';
import { outsourceLarge } from '../output/large-output.ts';
import { isAllowedBefore } from '../deciding/allowed-rules.ts';
import { createStopController } from '../stop-controller.ts';
import { StopPatience } from '../stop-patience.ts';
import { prepareCall, runTool } from './tool-door.ts';
import type { Preparation } from './tool-door.ts';
import { ToolOutputDoor } from './tool-output-door.ts';
import { callOf, decideAfterCall, denyCall, exactArguments, finishCall } from '../turn-decisions.ts';
import { TurnStopped } from '../turn-writer.ts';
import type { TurnWriter } from '../turn-writer.ts';

/**
 * Updates the nodes after a call of the model, in one change: nodes of which everything was taken back go, calls that the
 * provider ran itself are over, and a chain of nodes waits for the results of the others, in the order of the calls.
 */
export async function addWaitingCalls(writer: TurnWriter): Promise<void> {
  const now = isoTime(writer.scope.clock.now());
  await writer.writeOps((state) => decideAfterCall(state, writer.scope.turn, now));
}

/** The parts that running calls needs beyond writing. */
export interface ToolRoundScope {
  writer: TurnWriter;
  /** A tool that this turn may use. */
  findTool: (name: string) => Tool | undefined;
  /** Words for a call of a tool that this turn does not have. */
  describeMissing: (name: string) => string;
  /** The surroundings of every call of the turn. */
  context: Omit<ToolContext, 'node' | 'answer'>;
  /** The present mode of the conversation: a change of it applies to the turns that are running. */
  mode: () => Promise<Pick<ToolContext, 'approvalMode'>>;
  patience: StopPatience;
  /** Tells everything that the turn has begun to stop. */
  stop: () => void;
  /** Waits for a person's decision about a call; rejects when the turn is stopped. */
  decision: (node: string) => Promise<ApprovalState>;
  /** Called once it is in the log what a rule has decided about a call. */
  ruleUsed: (rule: PermissionRule) => void;
}

/** Brings every call to its end, side by side: result, error or denied. */
export async function runCalls(scope: ToolRoundScope, nodes: readonly string[]): Promise<void> {
  const calls = nodes.map((node) => runCall(scope, node));
  try {
    await Promise.all(calls);
  } catch (error) {
    scope.stop();
    // No call goes on behind the back of a turn that is over.
    await Promise.allSettled(calls);
    throw error;
  }
}

async function runCall(scope: ToolRoundScope, id: string): Promise<void> {
  const { writer, findTool } = scope;
  const state = await writer.state();
  const node = state.nodes.get(id);
  const call = node === undefined ? undefined : callOf(state, node);
  if (node === undefined || call === undefined || node.tool !== 'waiting') return;
  const read = readCall(call, findTool, scope.describeMissing);
  if (!read.ok) return fail(scope, id, read.message);
  const { tool, invocation } = read;
  const context = { ...scope.context, ...(await scope.mode()), node: id };
  // A call that was decided in another process is not asked about again.
  let approval = state.approvals.get(id);
  if (approval === undefined) {
    const prepared = await prepareCall(tool, invocation, context, scope.patience);
    if (!prepared.ok) return fail(scope, id, prepared.message);
    const { permission, preview } = prepared;
    if (permission === 'run') return start(scope, tool, invocation, context, prepared.rule);
    if (permission === 'deny') {
      await deny(scope, id, textOf(preview));
      if (prepared.rule !== undefined) scope.ruleUsed(prepared.rule);
      return;
    }
    // Another call of this round may have been decided since.
    const isAllowed = permission === 'ask' && isAllowedBefore(await writer.state(), prepared.rules);
    if (isAllowed) return start(scope, tool, invocation, context, prepared.rules?.[0]);
    await askPerson(writer, id, askOf(permission, prepared));
    if (prepared.rule !== undefined) scope.ruleUsed(prepared.rule);
    approval = await scope.decision(id);
  }
  if (approval.decision === 'denied' || approval.arguments !== invocation.arguments) {
    return deny(scope, id, approval.text);
  }
  // The tool may have been switched off since.
  const present = readCall(call, findTool, scope.describeMissing);
  if (!present.ok) return fail(scope, id, present.message);
  const { text: answer, answers } = approval;
  const said = { ...(answer === undefined ? {} : { answer }), ...(answers === undefined ? {} : { answers }) };
  const decided = { ...context, ...(await scope.mode()), ...said };
  await start(scope, present.tool, withChanges(invocation, approval), decided);
}

/** The call as the person wants it to run. */
function withChanges(invocation: ToolInvocation, { arguments_changed: exact }: ApprovalState): ToolInvocation {
  const parsed = exact === undefined ? undefined : parseToolArguments(exact);
  if (exact === undefined || parsed?.ok !== true) return invocation;
  return { ...invocation, parameters: parsed.fields.parameters, arguments: exact };
}

/** Returns the question for a person about a call, as its tool says it. */
function askOf(kind: Ask['kind'], { preview, questions, rules, modes }: Extract<Preparation, { ok: true }>): Ask {
  return {
    kind,
    preview,
    ...(questions === undefined || kind !== 'question' ? {} : { questions }),
    ...(rules === undefined || kind !== 'ask' ? {} : { rules }),
    ...(modes === undefined || kind !== 'ask' ? {} : { modes }),
  };
}

type ReadCall = { ok: true; tool: Tool; invocation: ToolInvocation } | { ok: false; message: string };

function readCall(
  call: ToolUseBlock,
  findTool: ToolRoundScope['findTool'],
  missing: ToolRoundScope['describeMissing'] = (name) => `There is no tool named ${name}.`,
): ReadCall {
  const tool = findTool(call.name);
  if (tool === undefined) return { ok: false, message: missing(call.name) };
  const exact = exactArguments(call);
  const parsed = parseToolArguments(exact);
  if (!parsed.ok) return { ok: false, message: `The arguments are not a JSON object: ${parsed.parseError}` };
  const { id, name } = call;
  // Parsed again: what a tool does to its parameters must not change the call in the log.
  return { ok: true, tool, invocation: { id, name, parameters: parsed.fields.parameters, arguments: exact } };
}

/**
 * Returns the decisions that people would have to make about calls that no process runs, by node. A tool that does not
 * answer soon is not waited for.
 */
export async function findAsks(
  calls: readonly { node: string; call: ToolUseBlock }[],
  findTool: ToolRoundScope['findTool'],
  context: Omit<ToolContext, 'node' | 'signal'>,
  clock: Clock,
): Promise<Map<string, Ask>> {
  const asks = new Map<string, Ask>();
  const stop = createStopController();
  const patience = new StopPatience(stop.signal, clock);
  const cancel = clock.after(prepareTime, () => stop.abort());
  const asked = calls.map(async ({ node, call }) => {
    const read = readCall(call, findTool);
    if (!read.ok) return;
    const prepared = await prepareCall(read.tool, read.invocation, { ...context, node, signal: stop.signal }, patience);
    if (!prepared.ok || prepared.permission === 'run' || prepared.permission === 'deny') return;
    asks.set(node, askOf(prepared.permission, prepared));
  });
  await Promise.allSettled(asked);
  cancel();
  return asks;
}

/** The time that tools may take to say if a call needs a person, when no turn waits for them, in milliseconds. */
const prepareTime = 1_000;

/** Says on the node what a person has to decide, so that every client knows. */
export async function askPerson(writer: TurnWriter, node: string, ask: Ask): Promise<void> {
  await writer.writeOps((state) => {
    const { tool, ask: known } = state.nodes.get(node) ?? {};
    return tool === 'waiting' && known === undefined ? [{ type: 'node-changed', node, set: { ask } }] : [];
  });
}

/** Runs a tool. That it may have begun is in the log before it begins, so that it is never run a second time. */
async function start(
  scope: ToolRoundScope,
  tool: Tool,
  invocation: ToolInvocation,
  context: ToolContext,
  rule?: PermissionRule,
): Promise<void> {
  const { writer, patience } = scope;
  const { turn, clock, blobs } = writer.scope;
  const { node: id } = context;
  await writer.writeOps((state) => {
    if (state.nodes.get(id)?.tool !== 'waiting') throw new TurnStopped('call-taken');
    const { arguments: exact } = invocation;
    return [
      // An approval without a scope, but with a rule: no person was asked.
      ...(rule === undefined
        ? []
        : [
            {
              type: 'approval' as const,
              turn,
              node: id,
              decision: 'approved' as const,
              arguments: exact,
              rules: [rule],
            },
          ]),
      { type: 'tool-started', turn, node: id },
      { type: 'node-changed', node: id, set: { tool: 'running', started_at: isoTime(clock.now()) } },
    ];
  });
  if (rule !== undefined) scope.ruleUsed(rule);
  const out = new ToolOutputDoor(writer, id, tool);
  const { content, isError } = await runTool(tool, invocation, context, out, patience);
  const kept = await Promise.all(content.map((block) => outsourceLarge(block, 'tool', blobs)));
  const ended = isoTime(clock.now());
  await answer(scope, id, 'running', (state, node) =>
    finishCall(state, node, isError ? 'error' : 'result', kept, ended),
  );
}

function fail(scope: ToolRoundScope, id: string, message: string): Promise<void> {
  return answer(scope, id, 'waiting', (state, node) =>
    finishCall(state, node, 'error', [{ type: 'text', text: message }]),
  );
}

function deny(scope: ToolRoundScope, id: string, reason: string | undefined): Promise<void> {
  return answer(scope, id, 'waiting', (state, node) => denyCall(state, node, reason));
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

/** Returns a tool's own reason to refuse a call, if it gives one. */
function textOf(preview: readonly ToolBlock[]): string | undefined {
  const text = preview.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  return text === '' ? undefined : text;
}
