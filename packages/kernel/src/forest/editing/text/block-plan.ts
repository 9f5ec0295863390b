import type { MessageBlock } from '@loom/blocks';

/** One step of replacing a node's text. */
export type BlockStep =
  | { type: 'keep'; block: MessageBlock }
  | { type: 'edit'; block: MessageBlock; text: string }
  | { type: 'remove'; block: MessageBlock }
  | { type: 'add'; text: string };

/** The texts of a node's text blocks. */
export function textsOf(blocks: readonly MessageBlock[]): string[] {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}

/**
 * Fits new texts to a node's blocks. Other blocks keep their places; texts that are the same at either end keep their
 * blocks; those in between are paired in order, and surplus ones are added or removed.
 */
export function planBlocks(blocks: readonly MessageBlock[], texts: readonly string[]): BlockStep[] {
  const old = textsOf(blocks);
  const shorter = Math.min(old.length, texts.length);
  let start = 0;
  while (start < shorter && old[start] === texts[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === texts.at(-1 - end)) end += 1;
  const middle = old.length - end;
  const surplus = texts.slice(Math.min(middle, texts.length - end), texts.length - end);
  const additions = surplus.map((text): BlockStep => ({ type: 'add', text }));

  const steps: BlockStep[] = [];
  const place = additionPlace(blocks, middle);
  let seen = 0;
  for (const [index, block] of blocks.entries()) {
    if (index === place) steps.push(...additions);
    steps.push(block.type === 'text' ? textStep(block, seen) : { type: 'keep', block });
    if (block.type === 'text') seen += 1;
  }
  if (place >= blocks.length) steps.push(...additions);
  return steps;

  function textStep(block: MessageBlock, number: number): BlockStep {
    if (number < start || number >= middle) return { type: 'keep', block };
    const text = texts[number];
    return text === undefined || number >= texts.length - end
      ? { type: 'remove', block }
      : { type: 'edit', block, text };
  }
}

/**
 * Returns the index at which texts are added: behind the last text block that they follow, else before the first call,
 * because calls come last.
 */
function additionPlace(blocks: readonly MessageBlock[], textsBefore: number): number {
  const places = blocks.flatMap((block, index) => (block.type === 'text' ? [index] : []));
  const previous = places[textsBefore - 1];
  if (previous !== undefined) return previous + 1;
  const next = places[0] ?? blocks.findIndex((block) => block.type === 'tool-use');
  return next === -1 ? blocks.length : next;
}
