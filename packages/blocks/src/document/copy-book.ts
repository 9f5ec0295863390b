import type { TextCopy } from './block-text.ts';
import type { IdRange } from './id-range.ts';
import { RangeMap } from './range-map.ts';
import type { CharacterId } from './text-chunks.ts';

/**
 * Maps copies of characters to their originals. A character that is deleted cannot come back in Yjs; a copy comes in its
 * place and stands for the original from then on.
 */
export class CopyBook {
  readonly #original = new RangeMap<CharacterId>(shiftId);
  readonly #current = new RangeMap<CharacterId>(shiftId);

  add([client, clock, length, ofClient, ofClock]: TextCopy): void {
    this.#original.set({ client, clock, length }, { client: ofClient, clock: ofClock });
    this.#current.set({ client: ofClient, clock: ofClock, length }, { client, clock });
  }

  /** The ids under which characters first came into the text. */
  originalsOf(range: IdRange): IdRange[] {
    return this.#original.segments(range).map(({ client, clock, length, value }) => ({
      ...(value ?? { client, clock }),
      length,
    }));
  }

  /** The newest copies of original characters: themselves, if there are none. */
  currentOf(range: IdRange): { current: IdRange; origin: CharacterId }[] {
    return this.#current.segments(range).map(({ client, clock, length, value }) => ({
      current: { ...(value ?? { client, clock }), length },
      origin: { client, clock },
    }));
  }
}

function shiftId({ client, clock }: CharacterId, offset: number): CharacterId {
  return { client, clock: clock + offset };
}
