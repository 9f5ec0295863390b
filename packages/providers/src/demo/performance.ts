import type { ToolUseBlock } from '@loom/blocks';
import type { ProviderEvent } from '@loom/kernel';
import { spellArguments } from './length-limit.ts';
import { cutIntoPieces } from './pieces.ts';
import type { Reading } from './reading.ts';
import type { Line, Pace, PlannedCall, Scene, Script } from './script.ts';
import { signThinking } from './signature.ts';

/** An event and the wait before it, or a scene. */
export type Step = { milliseconds: number; event: ProviderEvent } | { scene: Scene; newCallId: () => string };

/** Turns a script into the events that a model would have streamed. */
export function perform(script: Script, reading: Reading): Step[] {
  const stage: Stage = { pace: script.pace ?? ordinaryPace, nextKey: numbered('block-'), nextCallId: newIds(reading) };
  const performed = script.lines.map((line) => performLine(line, stage));
  const steps = performed.flat();
  // A call that breaks leaves its last block open, as a lost connection does.
  const last = steps.at(-1);
  const isBroken =
    script.ending.type === 'call-error' && last !== undefined && 'event' in last && last.event.type === 'block-end';
  return [...(isBroken ? steps.slice(0, -1) : steps), { milliseconds: 0, event: script.ending }];
}

const ordinaryPace: Pace = { pieces: [4, 1, 7, 2, 5, 3, 9, 1, 6, 11], milliseconds: 12 };

// One call of the demo writes one message; agent CLIs write several.
const place = { message: 'message-1', role: 'assistant' } as const;

interface Stage {
  pace: Pace;
  nextKey(): string;
  nextCallId(): string;
}

function performLine(line: Line, stage: Stage): Step[] {
  switch (line.type) {
    case 'text':
    case 'thinking':
      return performText(line, stage);
    case 'calls':
      return performCalls(line.calls, stage);
    case 'scene':
      return [{ scene: line.scene, newCallId: () => stage.nextCallId() }];
    case 'whole':
      return [{ milliseconds: stage.pace.milliseconds, event: { type: 'block', ...place, block: line.block } }];
  }
}

function performText({ type, text }: { type: 'text' | 'thinking'; text: string }, stage: Stage): Step[] {
  const key = stage.nextKey();
  return [
    { milliseconds: 0, event: { type: 'block-start', key, ...place, block: { type, text: '' } } },
    ...performDeltas(key, 'text', text, stage.pace),
    {
      milliseconds: 0,
      event: { type: 'block-end', key, ...(type === 'thinking' ? { block: signThinking(text) } : {}) },
    },
  ];
}

/** Opens all calls at once; their arguments come in turns. */
function performCalls(calls: readonly PlannedCall[], stage: Stage): Step[] {
  const opened = calls.map((call) => {
    const key = stage.nextKey();
    const block: ToolUseBlock = { type: 'tool-use', id: stage.nextCallId(), name: call.name, parameters: {} };
    const spelling = spellArguments(call);
    const steps = performDeltas(key, 'arguments', spelling, stage.pace);
    const isPlain = spelling === JSON.stringify(call.parameters);
    const whole = { ...block, parameters: call.parameters, ...(isPlain ? {} : { arguments: spelling }) };
    const end: Step = { milliseconds: 0, event: { type: 'block-end', key, block: whole } };
    return { start: { type: 'block-start', key, ...place, block } as const, steps: [...steps, end] };
  });
  const longest = Math.max(0, ...opened.map(({ steps }) => steps.length));
  const turns = Array.from({ length: longest }, (_, turn) =>
    opened.flatMap(({ steps }) => steps.slice(turn, turn + 1)),
  );
  return [...opened.map(({ start }) => ({ milliseconds: 0, event: start })), ...turns.flat()];
}

function performDeltas(key: string, field: 'text' | 'arguments', text: string, pace: Pace): Step[] {
  return cutIntoPieces(text, pace.pieces).map((piece) => ({
    milliseconds: pace.milliseconds,
    event: { type: 'block-delta', key, field, text: piece },
  }));
}

/** Returns ids that depend on the request alone, and that no call of this conversation has. */
function newIds({ digest, callIds }: Reading): () => string {
  const next = numbered(`call_${digest}_`);
  return () => {
    let id = next();
    while (callIds.has(id)) id = next();
    return id;
  };
}

function numbered(start: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `${start}${count}`;
  };
}
