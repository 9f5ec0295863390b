import { isPlainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import { viewsOfToolResult } from '@loom/blocks/views';
import type { NodeState, RootState } from '@loom/kernel';
import type { Decision, RootOp } from '@loom/kernel/logs';
import type { ForeignBlock } from '../../foreign/foreign.ts';
import { joinNote, keysOf } from '../import-note.ts';

/** The readers' name for a tool whose call they have not seen. */
const unknownTool = 'unknown';

/** Returns true if a message is the result of a call that its reader has not seen. */
export function isWithoutCall({ source }: Pick<NodeState, 'source'>): boolean {
  return source.type === 'tool_result' && source.tool_name === unknownTool;
}

/** A result whose call has come from another file, with the name of the tool and the views of its work. */
export interface LateResult {
  readonly node: string;
  readonly tool: string;
  readonly views: readonly ForeignBlock[];
}

/** Returns the results that came without their calls, and whose calls have come since. */
export function lateResults(state: RootState, source: string): LateResult[] {
  const waiting = [...state.nodes.values()].filter(
    (node) => node.deleted !== true && node.origin?.source === source && isWithoutCall(node),
  );
  if (waiting.length === 0) return [];
  const calls = new Map<string, { name: string; parameters: PlainObject }>();
  for (const { blocks } of state.nodes.values())
    for (const block of blocks) if (block.type === 'tool-use' && !calls.has(block.id)) calls.set(block.id, block);
  return waiting.flatMap((node) => {
    const call = calls.get(node.tool_call_id ?? '');
    return call === undefined ? [] : [{ node: node.id, tool: call.name, views: viewsOf(node, call, source) }];
  });
}

/** Names the tool of a result, and adds views of its work. */
export function decideLateResult(
  state: RootState,
  { node: id, tool, views }: LateResult,
  { agent, source }: { agent: string; source: string },
): Decision<RootOp, { blocks: number }> {
  const node = state.nodes.get(id);
  if (node === undefined || !isWithoutCall(node)) return { ok: true, ops: [], value: { blocks: 0 } };
  const taken = keysOf(node, source);
  const added = views.filter(({ key }) => !taken.has(key));
  const keys = new Map<string, string>();
  const ops = added.map(({ key, block }, index): RootOp => {
    const blockId = state.newBlockId(agent);
    keys.set(key, blockId);
    const whole: MessageBlock = { ...block, block_id: blockId, status: 'done' };
    return { type: 'block-added', node: id, index: node.blocks.length + index, block: whole };
  });
  const note = keys.size === 0 ? {} : { note: joinNote(node, keys) };
  ops.push({ type: 'node-changed', node: id, set: { source: { type: 'tool_result', tool_name: tool }, ...note } });
  return { ok: true, ops, value: { blocks: added.length }, time: state.updated };
}

function viewsOf(
  { blocks, origin, is_error, tool }: NodeState,
  call: { name: string; parameters: PlainObject },
  source: string,
): ForeignBlock[] {
  if (tool === 'denied') return [];
  const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const native = nativeOf(blocks[0], source);
  const result = {
    text,
    ...(native === undefined ? {} : { native }),
    ...(is_error === undefined ? {} : { is_error }),
  };
  const hasFiles = blocks.some(({ type }) => type === 'image');
  return viewsOfToolResult(call, result)
    .filter(({ type }) => !hasFiles || type !== 'image')
    .map((block, by) => ({ key: `${origin?.id}/view-${by}`, block }));
}

/** Returns the tool's own report; `undefined` if it was long enough to become a blob. */
function nativeOf(block: MessageBlock | undefined, source: string): unknown {
  const own = block?.provider?.[source];
  return isPlainObject(own) ? own['tool_use_result'] : undefined;
}
