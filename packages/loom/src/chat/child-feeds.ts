import type { MessageBlock } from '@loom/blocks';
import type { FeedEvent, NodeState } from '@loom/kernel';
import type { ConversationFeed, Loom } from '../runtime/loom.ts';
import { LineBuffer } from './line-buffer.ts';
import { WordWrap } from './word-wrap.ts';

/** Hears the conversations of agents that a turn has sent out, from their first word to the end of their turns. */
export class ChildFeeds {
  readonly #loom: Loom;
  readonly #tell: (line: string) => void;
  readonly #ended: () => void;
  /** By root; one that is about to be heard is not there yet. */
  readonly #feeds = new Map<string, ConversationFeed | undefined>();

  /** `tell` gets each line that an agent says, `ended` is called when one has nothing more to say. */
  constructor(loom: Loom, { tell, ended }: { tell: (line: string) => void; ended: () => void }) {
    this.#loom = loom;
    this.#tell = tell;
    this.#ended = ended;
  }

  get isOpen(): boolean {
    return this.#feeds.size > 0;
  }

  begin(root: string): void {
    const said = new SpokenLines(this.#tell);
    this.#feeds.set(root, undefined);
    this.#hear(root, said).catch(() => this.#end(root, said));
  }

  async #hear(root: string, said: SpokenLines): Promise<void> {
    const end = (): void => this.#end(root, said);
    const feed = await this.#loom.follow(root, {
      onChange(what) {
        const { replica } = feed;
        if (what.type === 'snapshot') for (const node of replica.nodes.values()) said.hearNode(node);
        if (what.type === 'change') for (const event of what.events) said.hear(event);
        if (replica.status === 'live' && replica.root.turns.length === 0) end();
      },
      onFailure: end,
    });
    // The chat may have been left meanwhile.
    if (!this.#feeds.has(root)) return feed.close();
    this.#feeds.set(root, feed);
    await feed.open();
  }

  close(): void {
    for (const feed of this.#feeds.values()) feed?.close();
    this.#feeds.clear();
  }

  #end(root: string, said: SpokenLines): void {
    const feed = this.#feeds.get(root);
    if (!this.#feeds.delete(root)) return;
    said.end();
    feed?.close();
    this.#ended();
  }
}

/** The words of a model in short lines; its calls by their names. */
class SpokenLines {
  readonly #tell: (line: string) => void;
  #open: { block: string; wrap: WordWrap; lines: LineBuffer } | undefined;

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  hear(event: FeedEvent): void {
    if (event.type === 'node-added') this.hearNode(event.node);
    else if (event.type === 'block-added') this.#hearBlock(event.block);
    else if (event.type === 'text-appended') this.#grow(event.block, event.text);
    else if (event.type === 'status-changed') this.end();
  }

  hearNode({ role, blocks }: NodeState): void {
    if (role === 'assistant') for (const block of blocks) this.#hearBlock(block);
  }

  end(): void {
    if (this.#open === undefined) return;
    const { wrap, lines } = this.#open;
    this.#open = undefined;
    for (const line of [...lines.take(wrap.flush()), ...lines.flush()]) if (line.trim() !== '') this.#tell(line);
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
