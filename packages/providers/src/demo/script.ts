import type { AssistantBlock, PlainObject } from '@loom/blocks';
import type { ProviderCall, ProviderEvent } from '@loom/kernel';

/** The whole output of one call of the demo, before it is cut into events. */
export interface Script {
  lines: readonly Line[];
  ending: Ending;
  /** Ordinary speed by default. */
  pace?: Pace;
}

/** One part of the output. */
export type Line =
  | { type: 'thinking' | 'text'; text: string }
  /** Written side by side, as by models with parallel calls. */
  | { type: 'calls'; calls: readonly PlannedCall[] }
  | { type: 'whole'; block: AssistantBlock }
  /** A part that depends on events during the call. */
  | { type: 'scene'; scene: Scene };

/** Plays a scene with everything that a call offers. */
export type Scene = (stage: {
  call: ProviderCall;
  newCallId: () => string;
  /** Waits for the clock; throws if the call is stopped. */
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
  /** The time from one piece to the next. */
  milliseconds: number;
}

/** Returns a script that says this and ends. */
export function say(...parts: readonly (string | Line)[]): Script {
  return { lines: parts.map(asLine), ending: { type: 'call-end', reason: 'stop' } };
}

/** Returns a script that says this, calls the tools and waits for their results. */
export function callTools(text: string, calls: readonly PlannedCall[]): Script {
  const lines: Line[] = [{ type: 'calls', calls }];
  return {
    lines: text === '' ? lines : [asLine(text), ...lines],
    ending: { type: 'call-end', reason: 'tool-use' },
  };
}

/** Joins lines to a passage of Markdown. */
export function passage(...lines: readonly string[]): string {
  return lines.join('\n');
}

/** Quotes the user's words within the demo's: one line, not too long, between quotation marks. */
export function quote(text: string, length = 80): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  // A character has at most two code units, so this slice shows if there are more.
  const characters = Array.from(line.slice(0, length * 2 + 2));
  return characters.length > length ? `“${characters.slice(0, length).join('').toWellFormed()}…”` : `“${line}”`;
}

function asLine(part: string | Line): Line {
  return typeof part === 'string' ? { type: 'text', text: part } : part;
}
