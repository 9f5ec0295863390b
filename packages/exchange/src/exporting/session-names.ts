import { z } from 'zod';
import type { ExportOrder, NodeState, Request, RootState } from '@loom/kernel';
import { nameNode, nameRoot } from '@loom/kernel/logs';
import type { Forest, RootOp } from '@loom/kernel/logs';
import { keysOf } from '../importing/import-note.ts';
import { claudeSession } from './claude-session.ts';
import { codexSession } from './codex-session.ts';
import type { ExportedOrigin, NativeSession } from './native-session.ts';
import type { ExportSource } from './source.ts';

/** Opens a branch as a session of another program; messages that came from there keep their names. */
export function openSession(
  state: RootState,
  source: ExportSource,
  {
    format,
    end,
    directory,
    otherwise,
  }: Pick<ExportOrder, 'format'> & { directory?: string | undefined; end: string; otherwise: string },
): NativeSession {
  const own = state.config['directory'];
  const keys = new Map<string, string>();
  for (const node of state.nodes.values()) {
    for (const [key, block] of keysOf(node, format)) if (block !== undefined) keys.set(block, key);
  }
  const options = {
    directory: directory ?? (typeof own === 'string' ? own : otherwise),
    keyOf: ({ block_id: id }: { block_id?: string }) => (id === undefined ? undefined : keys.get(id)),
  };
  return format === 'codex' ? codexSession(source, end, options) : claudeSession(source, end, options);
}

/** Notes the names of messages in the session, so that later additions there come back to this branch. */
export async function recordOrigins(
  forest: Forest,
  request: Request,
  root: string,
  session: NativeSession,
  source: string,
): Promise<void> {
  await forest.change(request, root, z.null(), (state) => ({
    ok: true,
    ops: namesIn(state, session, source),
    value: null,
  }));
}

/** Returns the ops that record the names of the conversation and its messages in a session. */
export function namesIn(state: RootState, session: NativeSession, source: string): RootOp[] {
  const [first] = session.origins;
  const names = [session.id, ...(first === undefined ? [] : [first.origin.id])];
  const nodes = session.origins.flatMap(({ node: id, origin, keys }) => {
    const node = state.nodes.get(id);
    if (node === undefined || isCalledSo(node, origin, keys)) return [];
    return [nameNode(node, source, { id: origin.id, keys: keys.map(({ key }) => key) })];
  });
  return [...nameRoot(state.config, source, names), ...nodes];
}

/** Returns true if a message that came from the same program has the names there that it is written with now: not if people have added to it. */
function isCalledSo(node: NodeState, { source, id }: ExportedOrigin['origin'], keys: ExportedOrigin['keys']): boolean {
  if (node.origin?.source !== source || node.origin.id !== id) return false;
  const known = keysOf(node, source);
  return keys.every(({ key }) => known.has(key));
}
