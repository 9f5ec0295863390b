import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { kindWords } from '../conversation/block-words.ts';
import { isBeforeStart } from '../conversation/shown-to-models.ts';
import type { NotShown } from '../conversation/shown-to-models.ts';
import { nameOf, sourceName } from '../conversation/who.ts';
import { tokens } from '../words/amounts.ts';

export interface FactSource {
  readonly node: NodeState;
  readonly block: MessageBlock;
  /** The branch that is shown. */
  readonly path: readonly string[];
  readonly notShown: NotShown;
}

/** Returns the facts about a block, in words: one name with one value each. */
export function blockFacts(source: FactSource): { readonly name: string; readonly value: string }[] {
  const { node, block } = source;
  const name = nameOf(node);
  const program = node.origin === undefined ? name : sourceName(node.origin.source);
  return [
    { name: 'Kind', value: kindOf(node, block) },
    { name: 'Written by', value: program === name ? name : `${name} in ${program}` },
    { name: 'In context', value: inContext(source) },
    { name: 'Id', value: block.block_id ?? node.id },
  ];
}

function kindOf(node: NodeState, block: MessageBlock): string {
  const kind = block.type === 'tool-use' ? `${kindWords[block.type]}: ${block.name}` : kindWords[block.type];
  const state = block.status === 'running' ? ', being written' : block.status === 'error' ? ', not finished' : '';
  return `${kind}${node.tool === 'waiting' ? ', waiting for approval' : state}`;
}

/** Kinds that are for people alone. */
const forPeople = new Set<MessageBlock['type']>(['sources', 'error', 'raw']);

function inContext({ node, block, path, notShown }: FactSource): string {
  // A block still being written is not counted: the number would change with each word.
  const about = block.status === 'running' ? '' : ` · about ${tokens(estimate(block))} tokens`;
  const { block_id: id = '', type } = block;
  if (!path.includes(node.id)) return 'Not on this branch';
  if (notShown.blocks.has(id)) return `No, left out${about}`;
  if (isBeforeStart(path, notShown.start, node.id)) return `No, the context begins below${about}`;
  if (block.ephemeral === true || forPeople.has(type)) return 'No, only people see it';
  return `Yes${about}`;
}

/** Returns the approximate number of tokens of a block: a guess that is high for prose and right for code. */
function estimate(block: MessageBlock): number {
  const { block_id: _id, metadata: _metadata, provider: _provider, ...rest } = block;
  const text = 'text' in rest ? rest.text : JSON.stringify(rest);
  return Math.ceil(text.length * 0.3);
}
