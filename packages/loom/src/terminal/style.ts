import { styleText } from 'node:util';
import type { Terminal } from './terminal.ts';

/** Ways to set text off; each returns its text unchanged where colors are not welcome. */
export type Style = Readonly<Record<Tone, (text: string) => string>>;

export type Tone = 'strong' | 'faint' | 'bad' | 'odd' | 'good';

/** Returns colors for results (`out`) or remarks (`note`): only on a screen, and never under NO_COLOR or a dumb terminal. */
export function styleFor({ env, screen }: Terminal, stream: 'out' | 'note'): Style {
  const isScreen = stream === 'out' ? screen.isOut : screen.isNote;
  const isPlain = !isScreen || (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  const paint = (format: 'bold' | 'dim' | 'red' | 'yellow' | 'green') => (text: string) =>
    isPlain || text === '' ? text : styleText(format, text, { validateStream: false });
  return { strong: paint('bold'), faint: paint('dim'), bad: paint('red'), odd: paint('yellow'), good: paint('green') };
}
