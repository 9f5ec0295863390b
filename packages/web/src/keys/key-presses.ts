import { keyMap } from './key-map.ts';
import type { CommandName, KeyArea } from './key-map.ts';

/** The fields used of a key event; that of browsers fits. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** Spells a press as the key map does. On a Mac the command key stands for Ctrl. If Shift makes another sign, only that counts. */
export function chordOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): string {
  const isSign = key.length === 1 && key.toLowerCase() === key.toUpperCase();
  const name = key === 'Escape' ? 'Esc' : key.length === 1 ? key.toUpperCase() : key;
  return [
    ...(ctrlKey || metaKey ? ['Ctrl'] : []),
    ...(altKey ? ['Alt'] : []),
    ...(shiftKey && !isSign ? ['Shift'] : []),
    name,
  ].join('+');
}

/** Returns true if a chord is a single letter or sign, which speech input may press by accident; a preference turns these off. */
export function isLetter(chord: string): boolean {
  return /^(?:Shift\+)?.$/u.test(chord);
}

/**
 * Returns true if a press writes something where text can be written, also by an input method. On some keyboards a sign takes Ctrl and Alt
 * together.
 */
export function isTyping({ key, ctrlKey, metaKey, altKey }: KeyPress): boolean {
  if (metaKey || (ctrlKey && !altKey)) return false;
  return /^.$/su.test(key) || key === 'Dead' || key === 'Process' || key === 'Unidentified';
}

/** Returns true if a press pastes. */
export function isPaste(press: KeyPress): boolean {
  const chord = chordOf(press);
  return chord === 'Ctrl+V' || chord === 'Ctrl+Shift+V' || chord === 'Shift+Insert';
}

/** The longest pause before the second key of a sequence, in milliseconds. */
const patience = 1500;

/** Finds the command of a press, also of two keys one after the other. */
export class KeyPresses {
  #first: { chord: string; time: number } | undefined;

  /** The command in one of these areas, the first area first. */
  take(chord: string, areas: readonly KeyArea[], time: number): CommandName | undefined {
    const before = this.#first;
    this.#first = undefined;
    if (before !== undefined && time - before.time <= patience) {
      const found = commandOf(`${before.chord} ${chord}`, areas);
      if (found !== undefined) return found;
    }
    const found = commandOf(chord, areas);
    if (found === undefined && startsSequence(chord, areas)) this.#first = { chord, time };
    return found;
  }
}

function commandOf(keys: string, areas: readonly KeyArea[]): CommandName | undefined {
  for (const area of areas) {
    const found = keyMap.find((binding) => binding.area === area && binding.keys.some((key) => key === keys));
    if (found !== undefined) return found.command;
  }
  return undefined;
}

function startsSequence(chord: string, areas: readonly KeyArea[]): boolean {
  return keyMap.some(({ area, keys }) => areas.includes(area) && keys.some((key) => key.startsWith(`${chord} `)));
}
