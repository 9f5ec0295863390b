/** The ways to damage a file. */
export const damages = ['flip', 'zero', 'truncate', 'swap'] as const;
export type Damage = (typeof damages)[number];

/** Damages bytes; `other` is swapped in. */
export function damageBytes(damage: Damage, bytes: Uint8Array, other: Uint8Array, random: () => number): Uint8Array {
  const at = Math.floor(random() * bytes.length);
  switch (damage) {
    case 'flip': {
      const flipped = Uint8Array.from(bytes);
      flipped[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      return flipped;
    }
    case 'zero': {
      const zeroed = Uint8Array.from(bytes);
      zeroed.fill(0, at, at + 512);
      return zeroed;
    }
    case 'truncate':
      return bytes.slice(0, at);
    case 'swap':
      return other;
  }
}
