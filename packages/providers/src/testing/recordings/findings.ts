import { stableDeepEqual, withAppended } from '@loom/blocks';
import type { AssistantBlock, ToolBlock } from '@loom/blocks';
import type { ProviderEvent } from '@loom/kernel';
import { readJson } from './recording.ts';
import type { Visible } from './visible.ts';

type Block = AssistantBlock | ToolBlock;

/** The destinations of a stream's visible content, in bytes. */
export interface Findings {
  typed: number;
  raw: number;
  lost: string[];
}

/** Looks for everything visible in the blocks that a provider made of the stream. */
export function findVisible(visible: readonly Visible[], blocks: readonly Block[]): Findings {
  const typed = new Haystack(blocks.filter(({ type }) => type !== 'raw'));
  const raw = new Haystack(blocks.filter(({ type }) => type === 'raw'));
  const findings: Findings = { typed: 0, raw: 0, lost: [] };
  for (const item of visible) {
    const bytes = Buffer.byteLength(item.value);
    if (typed.has(item)) findings.typed += bytes;
    else if (raw.has({ ...item, kind: 'value' })) findings.raw += bytes;
    else findings.lost.push(`${item.kind}: ${item.value.slice(0, 200)}`);
  }
  return findings;
}

/** Finds texts piece by piece and in their order, so that nothing is counted twice. */
class Haystack {
  readonly #texts: Record<'text' | 'thinking', string>;
  readonly #at = { text: 0, thinking: 0 };
  readonly #json: string;
  readonly #arguments: string[];

  constructor(blocks: readonly Block[]) {
    const saidIn = (type: 'text' | 'thinking'): string =>
      blocks.flatMap((block) => (block.type === type ? [block.text] : [])).join('');
    this.#texts = { text: saidIn('text'), thinking: saidIn('thinking') };
    this.#json = JSON.stringify(blocks);
    this.#arguments = blocks.flatMap((block) =>
      block.type === 'tool-use' ? [block.arguments ?? JSON.stringify(block.parameters)] : [],
    );
  }

  has({ kind, value }: Visible): boolean {
    const clean = value.toWellFormed().replaceAll('\0', '\uFFFD');
    if (kind === 'value') return this.#json.includes(JSON.stringify(clean).slice(1, -1));
    if (kind === 'arguments') return this.#hasArguments(clean);
    const found = this.#texts[kind].indexOf(clean, this.#at[kind]);
    if (found !== -1) this.#at[kind] = found + clean.length;
    return found !== -1;
  }

  #hasArguments(spelled: string): boolean {
    if (this.#arguments.includes(spelled)) return true;
    const [meant] = readJson(spelled);
    return this.#arguments.some((other) => {
      const [said] = readJson(other);
      // The input of some tools is a text, not an object.
      return said === spelled || stableDeepEqual(said, meant);
    });
  }
}

/** All blocks that a call has made, of the model and of its tools, finished or not. */
export function blocksOf(events: readonly ProviderEvent[]): Block[] {
  const blocks: Block[] = [];
  const open = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'block') blocks.push(event.block);
    if (event.type === 'block-start') open.set(event.key, blocks.push(event.block) - 1);
    if (event.type === 'block-delta' || event.type === 'block-end') {
      const place = open.get(event.key) ?? -1;
      const block = blocks[place];
      if (block === undefined) continue;
      if (event.type === 'block-delta') blocks[place] = grow(block, event);
      else if (event.block !== undefined) blocks[place] = event.block;
    }
  }
  return blocks;
}

function grow(block: Block, { field, text }: Extract<ProviderEvent, { type: 'block-delta' }>): Block {
  if (block.type === 'tool-use') return { ...block, arguments: (block.arguments ?? '') + text };
  return withAppended(block, field, text);
}
