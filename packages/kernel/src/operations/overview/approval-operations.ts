import { z } from 'zod';
import { renderBlockAsText } from '@loom/blocks';
import { rootId } from '../../forest/ids.ts';
import { decisionScope, permissionRule, ruleAgent } from '../../op.ts';
import { once } from '../../once.ts';
import { limitTool } from '../../state/limit-questions.ts';
import type { NodeState } from '../../state/node-state.ts';
import type { ApprovalState, RootState } from '../../state/root-state.ts';
import { isAboutOneLog } from '../../store.ts';
import { callOf } from '../../turn/turn-decisions.ts';
import type { LoomEngine } from '../calling/engine.ts';
import { defineOperation } from '../operation.ts';
import type { Caller } from '../operation.ts';
import { defaultLimit, pageOf, pageParams } from '../page.ts';
import { eachRoot } from './each-root.ts';

const approval = once(() =>
  z.strictObject({
    root: z.string(),
    node: z.string().describe('The node of the call.'),
    turn: z.string().exactOptional(),
    tool: z.string(),
    summary: z.string().describe('The beginning of the call, in one line.'),
    decision: z.enum(['approved', 'denied', 'answered']),
    by: z.string().exactOptional().describe('The agent that decided; absent if a rule did.'),
    at: z.string().describe('When, as ISO 8601 in UTC.'),
    scope: decisionScope.exactOptional(),
    rules: z.array(permissionRule).exactOptional().describe('The rules that were stored with the decision.'),
    rule: permissionRule.exactOptional().describe('The rule that let the call run without a question.'),
    arguments_changed: z.string().exactOptional().describe('The arguments that the person put in place.'),
    text: z.string().exactOptional().describe('The reason of a denial, or an answer.'),
  }),
);
type ApprovalItem = z.infer<ReturnType<typeof approval>>;

const listApprovals = defineOperation({
  name: 'approval.list',
  summary:
    'Lists what was decided about tool calls, the newest first: by people, and by rules that let calls run without a question.',
  params: () => z.strictObject({ root: rootId.exactOptional().describe('Only this conversation.'), ...pageParams }),
  result: () => pageOf(approval()),
  effect: 'reads',
  run: async (engine, caller, { root, limit = defaultLimit, after }) => {
    const found: ApprovalItem[] = [];
    const isEnough = (before: number): boolean => {
      const behind = found.filter((item) => after === undefined || keyOf(item) < after);
      const last = behind.sort(newestFirst)[limit];
      return last !== undefined && Date.parse(last.at) > before;
    };
    if (root !== undefined) found.push(...(await approvalsIn(engine, root)));
    else await collect(engine, caller, found, isEnough);
    const rest = found.filter((item) => after === undefined || keyOf(item) < after).sort(newestFirst);
    const items = rest.slice(0, limit);
    const last = items.at(-1);
    return {
      ok: true,
      value: { items, ...(last === undefined || rest.length <= limit ? {} : { next: keyOf(last) }) },
    };
  },
});

/** Reads conversations, the one changed last first, until no older one can hold anything of the page. */
async function collect(
  engine: LoomEngine,
  caller: Caller,
  found: ApprovalItem[],
  isEnough: (before: number) => boolean,
): Promise<void> {
  for await (const { id, updated } of eachRoot(engine, caller)) {
    if (isEnough(updated)) return;
    found.push(...(await approvalsIn(engine, id)));
  }
}

async function approvalsIn(engine: LoomEngine, root: string): Promise<ApprovalItem[]> {
  try {
    const opened = await engine.open(root);
    if (!opened.ok) return [];
    const { value: state } = opened;
    return [...state.approvals].flatMap(([node, given]) => itemOf(state, node, given));
  } catch (error) {
    if (isAboutOneLog(error)) return [];
    throw error;
  }
}

function itemOf(state: RootState, id: string, given: ApprovalState): ApprovalItem[] {
  const node = state.nodes.get(id);
  const call = node && describeCall(state, node);
  // Decisions in snapshots of older versions have no time.
  const { decision, by, at = '', scope, rules, arguments_changed: changed, text } = given;
  if (node === undefined || call === undefined || at === '') return [];
  const isByRule = by === ruleAgent;
  const [rule] = rules ?? [];
  return [
    {
      root: state.id,
      node: id,
      ...(node.turn === undefined ? {} : { turn: node.turn }),
      ...call,
      decision,
      ...(by === undefined || isByRule ? {} : { by }),
      at,
      ...(scope === undefined ? {} : { scope }),
      ...(isByRule ? (rule === undefined ? {} : { rule }) : rules === undefined ? {} : { rules: [...rules] }),
      ...(changed === undefined ? {} : { arguments_changed: changed }),
      ...(text === undefined ? {} : { text }),
    },
  ];
}

/** Names the call at a node, or the spending limit that a turn ended with there. */
function describeCall(state: RootState, node: NodeState): { tool: string; summary: string } | undefined {
  const call = callOf(state, node);
  if (call !== undefined) return { tool: call.name, summary: summarize(renderBlockAsText(call)) };
  const error = node.blocks.findLast((block) => block.type === 'error');
  return error === undefined ? undefined : { tool: limitTool, summary: summarize(error.message) };
}

const summaryLength = 200;

function summarize(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  return line.length > summaryLength ? `${line.slice(0, summaryLength)}…` : line;
}

/** A place in the list: times of equal length sort as texts. */
function keyOf({ at, node }: ApprovalItem): string {
  return `${at}|${node}`;
}

function newestFirst(one: ApprovalItem, other: ApprovalItem): number {
  return keyOf(one) < keyOf(other) ? 1 : -1;
}

export const approvalOperations = [listApprovals] as const;
