import type { MessageBlock } from '@loom/blocks';
import type { FeedEvent, NodeState } from '@loom/kernel';
import type { ChildListener } from '../child-feeds.ts';
import { LineBuffer } from './line-buffer.ts';
import { WordWrap } from './word-wrap.ts';

/** Shows the words of agents, line by line. */
export function childLines(tell: (line: string) => void): ChildListener {
  const spoken = new Map<string, SpokenLines>();
  return {
    hear(root, event) {
      const lines = spoken.get(root) ?? new SpokenLines(tell);
      spoken.set(root, lines);
      lines.hear(event);
    },
    end(root) {
      spoken.get(root)?.end();
      spoken.delete(root);
    },
  };
}

/** The words of a model in short lines; its calls by their names. */
class SpokenLines {
  readonly #tell: (line: string) => void;
  #open: { block: string; wrap: WordWrap; lines: LineBuffer } | undefined;

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  hear(event: FeedEvent): void {
    if (event.type === 'node-added') this.#hearNode(event.node);
    else if (event.type === 'block-added') this.#hearBlock(event.block);
    else if (event.type === 'text-appended') this.#grow(event.block, event.text);
    else if (event.type === 'status-changed') this.end();
  }

  end(): void {
    if (this.#open === undefined) return;
    const { wrap, lines } = this.#open;
    this.#open = undefined;
    for (const line of [...lines.take(wrap.flush()), ...lines.flush()]) if (line.trim() !== '') this.#tell(line);
  }

  #hearNode({ role, blocks }: NodeState): void {
    if (role === 'assistant') for (const block of blocks) this.#hearBlock(block);
  }

  #hearBlock(block: MessageBlock): void {
    if (block.type === 'tool-use') this.#tell(`● ${block.name}`);
    if (block.type !== 'text') return;
    this.end();
    const { block_id: id = '', status } = block;
    this.#open = { block: id, wrap: new WordWrap(() => lineWidth), lines: new LineBuffer() };
    this.#grow(id, block.text);
    if (status !== 'running') this.end();
  }

  #grow(id: string, text: string): void {
    if (this.#open?.block !== id) return;
    const { wrap, lines } = this.#open;
    for (const line of lines.take(wrap.take(text))) if (line.trim() !== '') this.#tell(line);
  }
}

const lineWidth = 72;
