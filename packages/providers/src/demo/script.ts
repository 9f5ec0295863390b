import type { AssistantBlock, PlainObject } from '@loom/blocks';
import type { ProviderCall, ProviderEvent } from '@loom/kernel';

/** Everything that the demo is going to say in one call, before it is cut into events. */
export interface Script {
  lines: readonly Line[];
  ending: Ending;
  /** Ordinary speed if left out. */
  pace?: Pace;
}

/** One thing to say. */
export type Line =
  | { type: 'thinking' | 'text'; text: string }
  /** Written side by side, as models with parallel calls do. */
  | { type: 'calls'; calls: readonly PlannedCall[] }
  | { type: 'whole'; block: AssistantBlock }
  /** Something that depends on what happens while it is said. */
  | { type: 'scene'; scene: Scene };

/** Plays something with everything that a call offers. */
export type Scene = (stage: {
  call: ProviderCall;
  newCallId: () => string;
  /** Waits for the clock; throws when the call is stopped. */
  wait: (milliseconds: number) => Promise<void>;
}) => AsyncIterable<ProviderEvent>;

/** A call to make. `arguments` is set if it is not the plain spelling of the parameters. */
export interface PlannedCall {
  name: string;
  parameters: PlainObject;
  arguments?: string;
}

export type Ending = Extract<ProviderEvent, { type: 'call-end' | 'call-error' }>;

/** The speed of the text. */
export interface Pace {
  /** Lengths of the pieces, over and over again. */
  pieces: readonly number[];
  /** From one piece to the next. */
  milliseconds: number;
}

/** Says this and is done. */
export function say(...parts: readonly (string | Line)[]): Script {
  return { lines: parts.map(asLine), ending: { type: 'call-end', reason: 'stop' } };
}

/** Says this, calls the tools and waits for their results. */
export function callTools(text: string, calls: readonly PlannedCall[]): Script {
  const lines: Line[] = [{ type: 'calls', calls }];
  return {
    lines: text === '' ? lines : [asLine(text), ...lines],
    ending: { type: 'call-end', reason: 'tool-use' },
  };
}

/** A passage of Markdown from its lines. */
export function passage(...lines: readonly string[]): string {
  return lines.join('\n');
}

/** The person's words inside the demo's: one line, not too long, between quotation marks. */
export function quote(text: string, length = 80): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  // A character has at most two code units, so this slice shows if there are more.
  const characters = Array.from(line.slice(0, length * 2 + 2));
  return characters.length > length ? `“${characters.slice(0, length).join('').toWellFormed()}…”` : `“${line}”`;
}

function asLine(part: string | Line): Line {
  return typeof part === 'string' ? { type: 'text', text: part } : part;
}
