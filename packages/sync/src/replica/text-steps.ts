import { editableText, spliceText } from '@loom/blocks';
import type { MessageBlock, TextSplice } from '@loom/blocks';
import type { WireEvent } from '../room/wire-events.ts';

/** The effect of one change on the text of one block: edits, or another text in its place. */
export interface TextSteps {
  /** The version of the block after the change. */
  readonly version: number;
  readonly steps: readonly TextStep[];
}

type TextStep = { type: 'edited'; splices: TextSplice[]; isAppend: boolean; update?: string } | { type: 'replaced' };

/** The steps of a change in a block's text, or `undefined` if it says nothing of it. `before` is the text before it. */
export function textSteps(events: readonly WireEvent[], block: string, before: string): TextSteps | undefined {
  const steps: TextStep[] = [];
  let text = before;
  let version: number | undefined;
  const replace = (after: string | undefined): void => {
    if (after === undefined || after === text) return;
    text = after;
    steps.push({ type: 'replaced' });
  };
  for (const event of events) {
    switch (event.type) {
      case 'text-appended':
      case 'text-changed': {
        if (event.block !== block || (event.type === 'text-appended' && event.field !== 'text')) break;
        version = event.version;
        const splices =
          event.type === 'text-changed' ? event.changes : [{ at: text.length, delete: 0, insert: event.text }];
        text = spliceText(text, splices);
        const step = { type: 'edited' as const, splices, isAppend: event.type === 'text-appended' };
        steps.push(event.update === undefined ? step : { ...step, update: event.update });
        break;
      }
      case 'status-changed':
        if (event.block === block) version = event.version;
        break;
      case 'block-added':
      case 'block-changed':
        if (event.block.block_id !== block) break;
        version = event.block.version;
        replace(editableText(event.block));
        break;
      case 'node-added':
      case 'node-changed':
        for (const other of blocksOf(event)) {
          if (other.block_id !== block) continue;
          version = other.version;
          replace(editableText(other));
        }
        break;
      default:
        break;
    }
  }
  return version === undefined ? undefined : { version, steps };
}

/** The blocks that come with an event. */
function blocksOf(event: Extract<WireEvent, { type: 'node-added' | 'node-changed' }>): readonly MessageBlock[] {
  if (event.type === 'node-added') return event.node.blocks;
  return (event.blocks ?? []).filter((block) => typeof block !== 'string');
}
