import { acceptedSpellings, canonicalType, cleanText, isBlank, messageBlock } from '@loom/blocks';
import type { BlockStatus, MessageBlock, PlainObject } from '@loom/blocks';
import { keepToolArguments } from '@loom/blocks/legacy';
import type { z } from 'zod';
import { findCalls } from '../forest/calls.ts';
import { refuseUnderTurn } from '../forest/editing/obstacles.ts';
import { isVisible } from '../state/tree/tree.ts';
import type { Decision } from '../log/log-shape.ts';
import type { SourceInfo } from '../node-metadata.ts';
import type { NodeState } from '../state/node-state.ts';
import type { RootOp } from '../op.ts';
import { refuse, refuseParams, refuseValue } from '../refusal.ts';
import type { Refused } from '../refusal.ts';
import type { RootState } from '../state/root-state.ts';
import { nodeOfPlace, refuseMissingBlock } from '../forest/reading/block-place.ts';
import type { createParams, createResult } from './schemas.ts';

type Params = z.infer<ReturnType<typeof createParams>>;
type Role = NodeState['role'];

/** Adds a block: to the node that it names if that one is still being written by the same role, else in a node below it. */
export function decideCreate(
  state: RootState,
  agent: string,
  params: Params,
  newCallId: () => string,
): Decision<RootOp, z.infer<ReturnType<typeof createResult>>> {
  const role = roleOf(params);
  if (typeof role !== 'string') return role;
  const parent = nodeOfPlace(state, params.parent_id ?? state.id);
  if (!isVisible(state, parent)) return refuseMissingBlock(params.parent_id ?? state.id);
  const obstacle = refuseUnderTurn(state, parent);
  if (obstacle !== undefined) return obstacle;
  const content = contentOf(role, params, newCallId);
  if ('refusal' in content) return content;
  // Content that cannot be read back must never be written: it would make the whole conversation unreadable.
  const readable = messageBlock.safeParse(content);
  if (!readable.success) return refuseParams(readable.error);
  const status: BlockStatus = params.content === undefined ? 'pending' : 'done';
  const record = params.metadata === undefined ? { status } : { status, metadata: params.metadata };
  const holder = state.nodes.get(parent);
  if (holder !== undefined && isExtended(state, holder, role, params)) {
    const id = state.newBlockId(agent);
    const block: MessageBlock = { ...content, ...record, block_id: id };
    const op: RootOp = { type: 'block-added', node: holder.id, index: holder.blocks.length, block };
    return { ok: true, ops: [op], value: { block_id: id, version: 1, node_id: holder.id } };
  }
  const call = role === 'tool' ? callOf(state, parent, params) : undefined;
  if (call !== undefined && 'refusal' in call) return call;
  const id = state.newBlockId(agent);
  const node = {
    id: state.newNodeId(),
    parent,
    role,
    blocks: [{ ...content, ...record, block_id: id }],
    source: sourceOf(role, agent, call?.tool_name ?? ''),
  };
  const seed = call === undefined ? node : { ...node, tool_call_id: call.tool_call_id };
  return {
    ok: true,
    ops: [{ type: 'node-added', node: seed }],
    value: { block_id: id, version: 1, node_id: node.id },
  };
}

function roleOf({ role }: Params): Role | Refused {
  if (role === 'system') {
    return refuseValue(
      ['role'],
      'cannot be system: a system prompt belongs to the conversation; set systemPrompt in its config',
    );
  }
  return role === 'model' ? acceptedSpellings.roles.model : role;
}

/** Returns true if a node is still being written and the new block belongs to the same message. */
function isExtended(state: RootState, node: NodeState, role: Role, { metadata }: Params): boolean {
  const isBeingWritten = node.blocks.some(({ status }) => status === 'pending' || status === 'running');
  if (!isBeingWritten || node.role !== role || state.index.liveChildCount(node.id) > 0) return false;
  // The result of another call is a separate message.
  const call = metadata?.['tool_call_id'];
  return role !== 'tool' || typeof call !== 'string' || isBlank(call) || cleanText(call) === node.tool_call_id;
}

function contentOf(role: Role, params: Params, newCallId: () => string): MessageBlock | Refused {
  const kind = canonicalType(params.kind);
  const text = cleanText(params.content ?? '');
  const { metadata = {} } = params;
  const roles = rolesOfKind.get(kind);
  if (roles !== undefined && !roles.includes(role)) {
    return refuseValue(['kind'], `${params.kind} belongs to role ${roles.join(' or ')}, not ${role}`);
  }
  if (kind === 'text' || kind === 'tool_result') return { type: 'text', text };
  if (kind === 'thinking') return { type: 'thinking', text };
  if (kind === 'code') return { type: 'code', content: text, ...codeFields(metadata) };
  if (kind === 'tool-use') {
    const name = metadata['tool_name'];
    if (typeof name !== 'string' || isBlank(name)) {
      return refuseValue(['metadata', 'tool_name'], 'must name the tool that is called');
    }
    const given = metadata['tool_call_id'];
    const id = typeof given === 'string' && !isBlank(given) ? cleanText(given) : newCallId();
    const read = params.content === undefined ? { parameters: {} } : keepToolArguments(text);
    return { type: 'tool-use', id, name: cleanText(name), ...read };
  }
  if (kind === 'file')
    return refuseValue(['kind'], 'cannot be file: that belongs to a workspace, and none is open here');
  return refuseValue(
    ['kind'],
    `cannot be ${params.kind} here; there are text, thinking, code, tool_call and tool_result`,
  );
}

/** The roles whose messages may hold a kind, for the kinds that not every role's may. */
const rolesOfKind: ReadonlyMap<string, readonly Role[]> = new Map<string, readonly Role[]>([
  ['thinking', ['assistant']],
  ['code', ['assistant', 'tool']],
  ['tool-use', ['assistant']],
  ['tool_result', ['tool']],
]);

function codeFields(metadata: PlainObject): { language?: string; filename?: string } {
  const { language, path } = metadata;
  return {
    ...(typeof language === 'string' ? { language: cleanText(language) } : {}),
    ...(typeof path === 'string' ? { filename: cleanText(path) } : {}),
  };
}

/** The call that a result answers: the one that it names, or the call that it is put below. */
function callOf(
  state: RootState,
  parent: string,
  { parent_id, metadata }: Params,
): { tool_call_id: string; tool_name: string } | Refused {
  const above = state.block(parent_id ?? '');
  const named = metadata?.['tool_call_id'];
  const id =
    typeof named === 'string' && !isBlank(named) ? cleanText(named) : above?.type === 'tool-use' ? above.id : undefined;
  if (id === undefined) {
    return refuseValue(
      ['metadata', 'tool_call_id'],
      'must name the call that the result answers, unless parent_id is its block',
    );
  }
  const call = findCalls(state, parent, new Set([id])).get(id);
  if (call === undefined) return refuse({ reason: 'orphan-result', call: id });
  return { tool_call_id: id, tool_name: call.name };
}

function sourceOf(role: Role, agent: string, tool: string): SourceInfo {
  if (role === 'tool') return { type: 'tool_result', tool_name: tool };
  if (role === 'user') return { type: 'user' };
  // A model's agent id is `<provider>:<model>`; any other agent that speaks as an assistant is known by name only.
  const colon = agent.indexOf(':');
  return colon === -1
    ? { type: 'model', provider: '', model_name: agent, parameters: {} }
    : { type: 'model', provider: agent.slice(0, colon), model_name: agent.slice(colon + 1), parameters: {} };
}
