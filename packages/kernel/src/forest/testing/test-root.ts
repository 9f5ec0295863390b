import assert from 'node:assert/strict';
import type { Message } from '@loom/blocks';
import type { Decision } from '../../log/log-shape.ts';
import type { NodeState } from '../../state/node-state.ts';
import type { RootOp } from '../../op.ts';
import type { RefusalReason } from '../../refusal.ts';
import { rootCodec as codec } from '../../log/codec/root-codec.ts';
import { RootState } from '../../state/root-state.ts';
import { decideAppend } from '../editing/append.ts';
import { openText } from '../editing/text/open-text.ts';
import type { TextEditor } from '../editing/text/text-editor.ts';
import { decideUndo } from '../undo/undo.ts';

/** A root without a store: decisions are applied at once, and the changes are kept as a log would keep them. */
export class TestRoot {
  readonly state = new RootState('root-1');
  readonly records: string[] = [];
  /** The editor of texts, made on demand, as a log does. */
  readonly editor = testEditor(2);

  constructor() {
    this.write([{ type: 'root-changed', config: {} }]);
  }

  write(ops: RootOp[], agent = 'anna', turn?: string): number {
    const seq = this.state.seq + 1;
    const change = { seq, time: 1_700_000_000_000 + seq * 1000, agent, request: `r${seq}`, ops };
    this.records.push(codec.encode(turn === undefined ? change : { ...change, turn }));
    this.state.apply(turn === undefined ? change : { ...change, turn });
    return seq;
  }

  /** Carries out a decision; a refusal is a failure of the test. */
  done<T>(decision: Decision<RootOp, T>, agent = 'anna'): T {
    if (!decision.ok) assert.fail(JSON.stringify(decision.refusal));
    if (decision.ops.length > 0) this.write(decision.ops, agent);
    return decision.value;
  }

  /** Appends messages below a node and returns the id of the last. */
  append(parent: string, ...messages: Message[]): string {
    return this.done(decideAppend(this.state, 'anna', { parent, messages })).nodes.at(-1) ?? parent;
  }

  undo(change?: number): number {
    return this.done(decideUndo(this.state, 'anna', change, this.editor)).undone;
  }

  node(id: string): NodeState {
    return this.state.nodes.get(id) ?? assert.fail(`there is no node ${id}`);
  }

  /** Reads the same root back from the written records. */
  reload(): RootState {
    const state = new RootState(this.state.id);
    for (const change of this.records.flatMap((record) => codec.decode(record))) state.apply(change);
    return state;
  }
}

export function testEditor(client: number): () => TextEditor {
  return () => ({ client, open: (state, block) => openText(state, block) });
}

export function assertRefused(
  decision: Decision<RootOp, unknown>,
  reason: RefusalReason,
  fields: Readonly<Record<string, unknown>> = {},
): void {
  if (decision.ok) assert.fail(`it was not refused with ${reason}`);
  assert.equal(decision.refusal.reason, reason);
  assert.partialDeepStrictEqual(decision.refusal, fields);
}

export function user(...texts: string[]): Message {
  return { role: 'user', content: textBlocks(texts) };
}

export function assistant(...texts: string[]): Message {
  return { role: 'assistant', content: textBlocks(texts) };
}

/** A call by an assistant, with something said before it. */
export function calling(text: string, ...calls: string[]): Message {
  return {
    role: 'assistant',
    content: [
      { type: 'text', text },
      ...calls.map((id) => ({ type: 'tool-use' as const, id, name: 'read', parameters: {} })),
    ],
  };
}

export function result(call: string, text = 'fine'): Message {
  return { role: 'tool', tool_call_id: call, content: [{ type: 'text', text }] };
}

function textBlocks([first = '', ...rest]: readonly string[]) {
  const block = (text: string) => ({ type: 'text' as const, text });
  const content: [ReturnType<typeof block>, ...ReturnType<typeof block>[]] = [block(first), ...rest.map(block)];
  return content;
}
