import type { Loom } from '../app/loom.ts';
import { chosenModel } from '../composer/chosen-model.ts';
import { focusComposer } from '../composer/focus.ts';
import { abortTurn } from './abort-turn.ts';

/** Goes on with one of several answers; the others stay beside it. */
export function continueWith(loom: Loom, root: string, answer: string): void {
  loom.go({ name: 'conversation', root, node: answer });
  focusComposer();
}

/** One answer more to the same message, by the model that is chosen. */
export async function answerOnceMore(loom: Loom, node: string): Promise<void> {
  const { tools: _tools, ...answering } = chosenModel(loom);
  await loom.ask('turn.start', { node, ...answering, tools: [] });
}

export async function stopAnswers(loom: Loom, root: string, turns: readonly { turn: string }[]): Promise<void> {
  await Promise.all(turns.map(({ turn }) => abortTurn(loom, root, turn)));
}
