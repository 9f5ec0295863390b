import { isBlank, toolUsesOf } from '@loom/blocks';
import type { Message, MessageBlock, ToolUseBlock } from '@loom/blocks';
import type { Decision } from '../../log/log-shape.ts';
import type { SourceInfo } from '../../node-metadata.ts';
import type { NodeSeed, RootOp } from '../../op.ts';
import { refuse } from '../../refusal.ts';
import type { Refused } from '../../refusal.ts';
import type { RootState } from '../../state/root-state.ts';
import { findCalls } from '../calls.ts';
import { refuseMissingNode, refuseUnderTurn } from './obstacles.ts';
import { findShared } from '../reading/shared-messages.ts';
import type { Match } from '../reading/shared-messages.ts';
import { isVisible } from '../../state/tree/tree.ts';

/** The messages to append and their place: a node, or the root itself. */
export interface AppendParams {
  parent: string;
  messages: readonly Message[];
  /** Returns the origin of a message; by default a person's are theirs and a tool's are a tool's. */
  source?: (message: Message) => SourceInfo;
  /** True for importers, which keep messages that others refuse: results without a call, and messages that say nothing. */
  importing?: boolean;
  /** The equality that messages are found again by; `exact` by default. */
  match?: Match;
}

/** The nodes that hold the messages, first to last, and which of them are new. */
export interface AppendValue {
  nodes: string[];
  created: string[];
}

/** Walks down from the parent as long as the tree holds the next message, and creates the rest. Stored content is never altered. */
export function decideAppend(state: RootState, agent: string, params: AppendParams): Decision<RootOp, AppendValue> {
  const { parent, messages, importing = false, match } = params;
  if (!isVisible(state, parent)) return refuseMissingNode(parent);
  const obstacle = refuseUnderTurn(state, parent);
  if (obstacle !== undefined) return obstacle;
  const calls = callsFor(state, parent, messages);
  const invalid = findInvalid(messages, calls);
  if (invalid !== undefined && !importing) return invalid;

  const nodes = findShared(state, parent, messages, match);
  const missing = messages.slice(nodes.length);
  let place = nodes.at(-1) ?? parent;
  const occupied = missing.length === 0 ? undefined : refuseUnderTurn(state, place);
  if (occupied !== undefined) return occupied;
  const ops = missing.map((message): RootOp => {
    const source = params.source?.(message) ?? defaultSource(message, calls);
    const id = state.newNodeId();
    const node = { id, parent: place, ...seedOf(state, agent, message), source };
    place = id;
    nodes.push(id);
    return { type: 'node-added', node };
  });
  return { ok: true, ops, value: { nodes, created: nodes.slice(nodes.length - ops.length) } };
}

/** The block under a new id; what the record of another conversation said about it does not apply here. */
export function withNewId(state: RootState, agent: string, block: MessageBlock): MessageBlock {
  const {
    status: _status,
    version: _version,
    agent: _agent,
    created_at: _created,
    ended_at: _ended,
    prefix: _prefix,
    ...rest
  } = block;
  return { ...rest, block_id: state.newBlockId(agent), status: 'done' };
}

/** The calls that the results among the messages answer, as far as they are above the first message. */
function callsFor(state: RootState, parent: string, messages: readonly Message[]): Map<string, ToolUseBlock> {
  const wanted = new Set(messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : [])));
  return findCalls(state, parent, wanted);
}

/** Returns the refusal for the first message that must not be kept. Enters the messages' own calls among the known ones. */
function findInvalid(messages: readonly Message[], calls: Map<string, ToolUseBlock>): Refused | undefined {
  let first: Refused | undefined;
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool' && !calls.has(message.tool_call_id)) {
      first ??= refuse({ reason: 'orphan-result', call: message.tool_call_id, message: index });
    }
    if (message.role !== 'tool' && message.content.every((block) => block.type === 'text' && isBlank(block.text))) {
      first ??= refuse({ reason: 'empty-message', message: index });
    }
    for (const call of toolUsesOf(message)) calls.set(call.id, call);
  }
  return first;
}

function seedOf(state: RootState, agent: string, message: Message): Omit<NodeSeed, 'id' | 'parent' | 'source'> {
  const blocks = message.content.map((block): MessageBlock => withNewId(state, agent, block));
  if (message.role !== 'tool') return { role: message.role, blocks };
  const { role, tool_call_id, is_error } = message;
  return is_error === true ? { role, blocks, tool_call_id, is_error } : { role, blocks, tool_call_id };
}

function defaultSource(message: Message, calls: ReadonlyMap<string, ToolUseBlock>): SourceInfo {
  if (message.role === 'tool') return { type: 'tool_result', tool_name: calls.get(message.tool_call_id)?.name ?? '' };
  // The model that spoke is unknown; the name says so.
  return message.role === 'user' ? { type: 'user' } : { type: 'model', provider: '', model_name: '', parameters: {} };
}
