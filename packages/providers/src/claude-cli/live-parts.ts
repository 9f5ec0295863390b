import { cleanText, isBlank } from '@loom/blocks';
import type { AssistantBlock, MessageBlock } from '@loom/blocks';
import type { PartFact } from '@loom/exchange/claude-code';
import type { Origin, ProviderEvent } from '@loom/kernel';

/** A block that is being written. It is said with its first piece of text, a call with its name. */
interface Part {
  readonly key: string;
  readonly message: string;
  readonly block: MessageBlock;
  isSaid: boolean;
  /** Half a character, until the other half comes. */
  held: string;
}

/** The message of a block, in events. */
interface PartPlace {
  message: string;
  role: 'assistant';
  /** The message's name in the session. A block that begins with it is known there from its first write on. */
  origin: Origin;
  child?: string;
}

/** Joins the pieces of blocks with the lines that hold these whole. The line counts: the program may have changed what the model wrote. */
export class LiveParts {
  readonly #open = new Map<string, Part>();
  /** The parts whose lines have come, by the keys of their blocks. */
  readonly #whole = new Map<string, Part>();
  /** The keys in events of blocks, by their keys in the session. */
  readonly #said = new Map<string, { key: string; isCall: boolean }>();
  #count = 0;

  /** True while a block is being written. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  take(fact: PartFact): ProviderEvent[] {
    const name = `${fact.message}#${fact.index}`;
    switch (fact.type) {
      case 'part-started': {
        this.#count += 1;
        const part: Part = {
          key: `${name}.${this.#count}`,
          message: fact.message,
          block: fact.block,
          isSaid: false,
          held: '',
        };
        this.#open.set(name, part);
        return isNamedCall(fact.block) ? this.#begin(part) : [];
      }
      case 'part-grown': {
        const part = this.#open.get(name);
        return part === undefined ? [] : this.#grow(part, fact.field, fact.text);
      }
      case 'part-whole': {
        const part = this.#open.get(name);
        this.#open.delete(name);
        if (part !== undefined) this.#whole.set(fact.key, part);
        return [];
      }
      case 'part-dropped': {
        const part = this.#open.get(name);
        this.#open.delete(name);
        return part?.isSaid === true ? [{ type: 'retract', key: part.key }] : [];
      }
    }
  }

  /** The same once nothing is said: only which part a line belongs to. */
  takeSilently(fact: PartFact): ProviderEvent[] {
    if (fact.type === 'part-whole') this.take(fact);
    return [];
  }

  /** Returns the message of the part that a line has completed. */
  messageOf(key: string): string | undefined {
    return this.#whole.get(key)?.message;
  }

  /** Ends a part with its line, or says a block that was not streamed. */
  whole(key: string, block: AssistantBlock, place: PartPlace): ProviderEvent[] {
    const part = this.#whole.get(key);
    this.#whole.delete(key);
    const ofChild = place.child === undefined ? {} : { child: place.child };
    const isCall = block.type === 'tool-use';
    if (part?.isSaid === true && isSame(part.block, block)) {
      this.#said.set(key, { key: part.key, isCall });
      return [{ type: 'block-end', key: part.key, block, ...ofChild }];
    }
    this.#said.set(key, { key, isCall });
    const taken: ProviderEvent[] = part?.isSaid === true ? [{ type: 'retract', key: part.key }] : [];
    return [...taken, { type: 'block-start', key, ...place, block }, { type: 'block-end', key, block, ...ofChild }];
  }

  /** Takes back blocks. Calls stay: they may have begun. */
  retract(keys: readonly string[], child: string | undefined): ProviderEvent[] {
    return keys.flatMap((name): ProviderEvent[] => {
      const said = this.#said.get(name);
      if (said === undefined || said.isCall) return [];
      this.#said.delete(name);
      return [{ type: 'retract', key: said.key, ...(child === undefined ? {} : { child }) }];
    });
  }

  close(): ProviderEvent[] {
    const open = [...this.#open.values()].filter(({ isSaid }) => isSaid);
    this.#open.clear();
    return open.map(({ key }) => ({ type: 'block-end', key }));
  }

  #begin(part: Part): ProviderEvent[] {
    const { key, message, block } = part;
    part.isSaid = true;
    return [{ type: 'block-start', key, message, role: 'assistant', block: emptied(block) }];
  }

  #grow(part: Part, field: 'text' | 'arguments', piece: string): ProviderEvent[] {
    const text = part.held + piece;
    const isCut = /[\uD800-\uDBFF]$/.test(text);
    part.held = isCut ? text.slice(-1) : '';
    const whole = cleanText(isCut ? text.slice(0, -1) : text);
    if (whole === '' || (part.block.type === 'tool-use') !== (field === 'arguments')) return [];
    const begun = part.isSaid || !isStreamed(part.block) ? [] : this.#begin(part);
    if (!part.isSaid) return [];
    return [...begun, { type: 'block-delta', key: part.key, field, text: whole }];
  }
}

/** A call without an id or a name is said once its line has come whole. */
function isNamedCall(block: MessageBlock): boolean {
  return block.type === 'tool-use' && !isBlank(block.id) && !isBlank(block.name);
}

function isStreamed({ type }: MessageBlock): boolean {
  return type === 'text' || type === 'thinking';
}

/** The block before its first piece. */
function emptied(block: MessageBlock): AssistantBlock {
  switch (block.type) {
    case 'tool-use': {
      const { id, name } = block;
      return { type: 'tool-use', id, name, parameters: {} };
    }
    case 'thinking':
      return { type: 'thinking', text: '' };
    default:
      return { type: 'text', text: '' };
  }
}

function isSame(one: MessageBlock, other: AssistantBlock): boolean {
  if (one.type !== other.type) return false;
  return one.type !== 'tool-use' || other.type !== 'tool-use' || (one.id === other.id && one.name === other.name);
}
