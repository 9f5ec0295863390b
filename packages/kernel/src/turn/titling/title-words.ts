import { renderBlockAsText } from '@loom/blocks';
import { deriveTitle, withoutMarkdown } from '../../forest/derived-title.ts';
import { isSentByProgram, wordsOfPerson } from '../../forest/reading/first-words.ts';
import { openingNode } from '../../forest/root-head.ts';
import type { NodeState } from '../../state/node-state.ts';
import type { RootState } from '../../state/root-state.ts';
import { liveChildren } from '../../state/tree/tree.ts';

/** Returns the message that asks a model for a title. */
export function titleQuestion(words: string): string {
  return `Give the conversation below a title of at most six words, in its own language. Answer with the title alone.\n\n${words}`;
}

/**
 * Estimates the characters of the question about a conversation before its messages are read, by the words that a list shows of it. A short opening
 * is the whole first message; how long the answer to it is, no list says.
 */
export function questionLength(opening: string): number {
  return frame + (opening.length < shownOpening ? opening.length : longestPassage) + longestPassage;
}

/** Returns the beginning of a conversation: what a person asked first, and the first words that answer it. */
export function beginningOf(state: RootState): string {
  const first = openingNode(state);
  const answer = first && answerBelow(state, first);
  return [first, answer].flatMap((node) => (node === undefined ? [] : wordsOf(node))).join('\n\n');
}

/** Agents often call tools before they say a word. */
function answerBelow(state: RootState, { id }: NodeState): NodeState | undefined {
  let [next] = liveChildren(state, id);
  for (let steps = 0; next !== undefined && steps < mostSteps; steps += 1) {
    if (next.role === 'assistant' && wordsOf(next).length > 0) return next;
    [next] = liveChildren(state, next.id);
  }
  return undefined;
}

function wordsOf(node: NodeState): string[] {
  const said = isSentByProgram(node) ? wordsOfPerson(node.blocks) : '';
  const texts = node.blocks.flatMap((block) => (block.type === 'text' ? [renderBlockAsText(block)] : []));
  const text = said === '' ? texts.join('\n') : said;
  return text.trim() === '' ? [] : [`${node.role}: ${text.slice(0, longestPassage).toWellFormed()}`];
}

/** Returns the first line of an answer, without what models like to put around titles, and without characters that lay text out. */
export function readTitle(answer: string): string {
  const lines = answer
    .toWellFormed()
    .replaceAll(/(?!\n)\p{Cc}/gu, ' ')
    .replaceAll(layout, '')
    .split('\n');
  const line = lines.map(withoutMarkdown).find(Boolean) ?? '';
  const bare = withoutQuotes(withoutQuotes(line).replace(/^title:\s*/iu, ''));
  return deriveTitle(bare.replace(/(?<!\.)\.$/u, ''));
}

/** Marks of direction and invisible spaces: a title with them would show something else than it says, or nothing. */
const layout = /[\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu;

function withoutQuotes(text: string): string {
  return text.replace(/^["'“„«]([^"“”„«»]*)["'”“»]$/u, '$1').trim();
}

/** The characters of each of the two messages that the model is shown: enough to tell what they are about. */
const longestPassage = 1_000;
/** The characters around the two messages, and of the opening in a list. */
const [frame, shownOpening] = [140, 200];
const mostSteps = 30;
