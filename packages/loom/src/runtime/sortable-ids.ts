import { randomBytes } from 'node:crypto';
import type { Ids } from '@loom/kernel';
import { LoomError } from '../failure.ts';

/**
 * Ids of 26 lower-case letters and digits that sort by the time of their making: ten for the millisecond, sixteen random.
 * Within one millisecond, and when the clock is set back, the former id is counted up instead.
 */
export function createSortableIds(now: () => number = Date.now): Ids {
  let time = -1;
  let tail = 0n;
  return {
    next() {
      const present = now();
      // Ids of one process would be those of the next.
      if (present < 0) throw beforeTime();
      if (present > time) {
        time = present;
        // The highest bit is left free, so that there is room for counting up.
        tail = BigInt(`0x${randomBytes(10).toString('hex')}`) >> 1n;
      } else {
        tail += 1n;
      }
      return spell(BigInt(time), 10) + spell(tail, 16);
    },
  };
}

function beforeTime(): LoomError {
  return new LoomError('clock-wrong', 'the clock of this machine says that it is before 1970', {
    advice: 'Set it, then try again: the ids of conversations are made from the time.',
  });
}

// Crockford's alphabet: no letter in it can be taken for a digit.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

function spell(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest >>= 5n) text = `${alphabet[Number(rest & 31n)] ?? ''}${text}`;
  return text;
}
