import { blocksShownToModel } from '@loom/blocks';
import type { Message, ToolMessage, ToolUseBlock } from '@loom/blocks';

/** The result of a call and its place. */
export interface Answer {
  message: ToolMessage;
  index: number;
  /** True if a message other than a result stands between it and its call. */
  moved: boolean;
}

/** The result of each call. */
export interface Pairing {
  /** Per assistant message, by index: the answers to its calls in call order. */
  answers: Map<number, (Answer | undefined)[]>;
  /** The indexes of results without a call. */
  orphans: number[];
}

/** The calls of an assistant message, as chosen by the reader of the pairing. */
export type CallsOf = (message: Message) => readonly ToolUseBlock[];

/**
 * Finds the result of each call. Some providers reuse ids in every round, so a result belongs to the nearest earlier message with an unanswered call
 * of its id, and there to the first such call.
 */
export function pairCalls(messages: readonly Message[], callsOf: CallsOf = callsShown): Pairing {
  const answers = new Map<number, (Answer | undefined)[]>();
  const orphans: number[] = [];
  const waiting = new Map<string, { index: number; places: number[]; answered: number }[]>();
  let lastSpoken = -1;
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'tool') {
      lastSpoken = index;
      const calls = callsOf(message);
      if (calls.length > 0) answers.set(index, Array<undefined>(calls.length).fill(undefined));
      for (const [place, call] of calls.entries()) {
        const rounds = waiting.get(call.id) ?? [];
        const round = rounds.at(-1);
        if (round?.index === index) round.places.push(place);
        else rounds.push({ index, places: [place], answered: 0 });
        waiting.set(call.id, rounds);
      }
      continue;
    }
    const rounds = waiting.get(message.tool_call_id);
    const round = rounds?.at(-1);
    const place = round?.places[round.answered];
    if (round === undefined || place === undefined) {
      orphans.push(index);
      continue;
    }
    round.answered += 1;
    if (round.answered === round.places.length) rounds?.pop();
    answers.get(round.index)?.splice(place, 1, { message, index, moved: lastSpoken > round.index });
  }
  return { answers, orphans };
}

/** The calls that a model is shown: unfinished ones are not. */
function callsShown(message: Message): ToolUseBlock[] {
  return blocksShownToModel(message).filter((block) => block.type === 'tool-use');
}
