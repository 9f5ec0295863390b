import type { Caller, LoomEngine } from '@loom/kernel';
import type { z } from 'zod';
import type { commonTurnFields } from './blame-schemas.ts';

export type TurnWords = z.infer<typeof commonTurnFields>;

/** Collects the turns that changes belong to, each once. */
export class DescribedTurns {
  readonly turns: TurnWords[] = [];
  readonly #engine: LoomEngine;
  readonly #caller: Caller;
  readonly #byStart = new Map<string, number>();
  readonly #byNode = new Map<string, number>();

  constructor(engine: LoomEngine, caller: Caller) {
    this.#engine = engine;
    this.#caller = caller;
  }

  /** Returns the number of the turn that a block of a conversation belongs to. */
  async numberOf({ root, block }: { root: string; block: string }): Promise<number | undefined> {
    const known = this.#byNode.get(block);
    if (known !== undefined) return known;
    const found = await this.#engine.call('block.locate', this.#caller, { blocks: [block] });
    const place = found.ok ? found.value.places[0] : undefined;
    if (place === undefined) return undefined;
    const { node, time, model, source } = place;
    const listed = await this.#engine.call('tree.turns', this.#caller, { root, node, from: node, limit: 1 });
    const turn = listed.ok ? listed.value.items[0] : undefined;
    const start = turn?.node ?? node;
    const number = this.#byStart.get(start) ?? this.turns.length;
    if (number === this.turns.length) {
      this.#byStart.set(start, number);
      this.turns.push({
        root,
        ...(place.root_title === undefined ? {} : { root_title: place.root_title }),
        opening: place.opening,
        node: start,
        ...(turn?.number === undefined ? {} : { number: turn.number }),
        words: turn?.words ?? '',
        time: turn?.time ?? time,
        ...(model === undefined ? {} : { model }),
        ...(source === undefined ? {} : { source }),
      });
    }
    this.#byNode.set(block, number);
    return number;
  }
}
