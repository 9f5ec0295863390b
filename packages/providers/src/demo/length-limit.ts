import { keepPair } from './pieces.ts';
import type { Line, PlannedCall, Script } from './script.ts';

/**
 * Cuts the script to a number of characters. A text that is too long is cut; calls are made together or not at all, because half a call is of no use.
 */
export function cutScript(script: Script, characters: number): Script {
  // True also for a value that is not a number: without a limit there is no place to stop.
  if (!(characters < lengthOf(script.lines))) return script;
  const lines: Line[] = [];
  let room = Math.max(1, Math.floor(characters));
  for (const line of script.lines) {
    const length = lengthOf([line]);
    if (length > room) {
      if (line.type === 'text' && room > 0)
        lines.push({ ...line, text: line.text.slice(0, keepPair(line.text, room)) });
      break;
    }
    lines.push(line);
    room -= length;
  }
  return { ...script, lines, ending: { type: 'call-end', reason: 'length' } };
}

/** Returns the arguments of a call as a text. */
export function spellArguments(call: PlannedCall): string {
  return call.arguments ?? JSON.stringify(call.parameters);
}

function lengthOf(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => {
    switch (line.type) {
      case 'text':
      case 'thinking':
        return sum + line.text.length;
      case 'calls':
        return line.calls.reduce((inner, call) => inner + spellArguments(call).length, sum);
      case 'whole':
      case 'scene':
        return sum;
    }
  }, 0);
}
