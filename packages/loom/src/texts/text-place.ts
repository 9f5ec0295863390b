import { renderBlockAsText } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { NodeState, RootState } from '@loom/kernel';
import { shorten } from '../chat/drawing/cards.ts';
import { showControls } from '../chat/drawing/column.ts';
import { LoomError } from '../command-line/failure.ts';
import { deletedAbove } from '../forest-view/deleted-above.ts';
import { shortName } from '../forest-view/node-line.ts';
import { listIds } from '../runtime/conversations.ts';
import { findPlace, findPlaceToShow, latestOf, nameInCommands, requireConversations } from '../runtime/named-place.ts';
import type { Loom } from '../runtime/loom.ts';
import { suggest } from '../command-line/suggested-command.ts';

/** A block that a person named, and where it is. */
export interface TextPlace {
  root: string;
  node: NodeState;
  block: MessageBlock;
  /** The block's id. */
  id: string;
  /** Its name in a sentence: `node-3`, or `@person/3` where the node has several texts. */
  name: string;
  /** The name the person used, which suggested commands repeat. */
  word: string;
}

export interface TextSearch {
  /** True if a deleted block may be meant, too. */
  deleted?: boolean;
  /** Receives a note on the chosen conversation, if a command only shows and several have the name. Without it such a name is refused. */
  choose?: (note: string) => void;
}

/** The block that a word means: by its id, by the end of that (`@person/3`), or by its node if that has one text. */
export async function findText(loom: Loom, word: string, search: TextSearch = {}): Promise<TextPlace> {
  const { deleted = false, choose } = search;
  if (word.includes('@')) return findBlock(loom, word, search);
  const { root, node: id } = await (choose === undefined ? findPlace(loom, word) : findPlaceToShow(loom, word, choose));
  const state = await loom.open(root);
  if (id === root) {
    throw new LoomError('not-text', 'a whole conversation is not a text', {
      advice: `Name a node of it: ${suggest(`tree ${root}`)} shows them.`,
    });
  }
  const node = nodeAt(state, id, deleted);
  const block = soleText(node);
  if (block !== undefined) return placeOf(state, node, block, word);
  const texts = node.blocks.filter(isText);
  const candidates = texts.length === 0 ? node.blocks : texts;
  throw ambiguous(`${shortName(id)} has ${candidates.length} ${texts.length === 0 ? 'blocks' : 'texts'}`, candidates);
}

/** The shortest whole id that means a block: its node's if that is clear, else its own. */
export function idOfText(node: NodeState, block: MessageBlock): string {
  return soleText(node) === block ? node.id : (block.block_id ?? node.id);
}

async function findBlock(loom: Loom, word: string, { deleted = false, choose }: TextSearch): Promise<TextPlace> {
  const at = word.lastIndexOf('@');
  const name = word.slice(at);
  const whose = word.slice(0, at).replace(/\/$/, '');
  const named = whose === '' ? undefined : await findPlace(loom, whose);
  const found: { root: string; block: MessageBlock }[] = [];
  for (const root of named === undefined ? await listIds(loom) : [named.root]) {
    const state = named === undefined ? await loom.peek(root) : await loom.open(root);
    const block = state?.block(`${root}/${name}`);
    if (state === undefined || block === undefined) continue;
    // A name without a conversation does not mean one in a deleted conversation.
    if (named !== undefined || !state.deleted) found.push({ root, block });
  }
  const [first] = found;
  if (first === undefined) {
    await requireConversations(loom);
    throw new LoomError('block-not-found', `there is no block ${word}`, {
      advice: `A block is named like @person/3, or by its node: ${suggest('tree')} shows those.`,
    });
  }
  const chosen = found.length === 1 ? first : choose && (await latestOf(loom, found));
  if (chosen === undefined) {
    throw ambiguous(
      `${word} is ambiguous: it exists in ${found.length} conversations`,
      found.map(({ block }) => block),
    );
  }
  const { block_id: id = '' } = chosen.block;
  if (found.length > 1) {
    const choice = await nameInCommands(loom, id);
    choose?.(`${word} exists in ${found.length} conversations. This is ${choice}, in the one that was changed last.\n`);
  }
  const state = await loom.open(chosen.root);
  const node = nodeAt(state, state.nodeOfBlock.get(id) ?? '', deleted);
  return placeOf(state, node, state.block(id) ?? chosen.block, word);
}

function placeOf(state: RootState, node: NodeState, block: MessageBlock, word: string): TextPlace {
  const id = block.block_id ?? '';
  const name = idOfText(node, block).slice(state.id.length + 1);
  return { root: state.id, node, block, id, name, word };
}

function nodeAt(state: RootState, id: string, deleted: boolean): NodeState {
  const node = state.nodes.get(id);
  if (deleted && node !== undefined) return node;
  const hidden = deletedAbove(state, id);
  if (node !== undefined && hidden === undefined) return node;
  const what = hidden === state.id ? `the conversation ${hidden}` : shortName(id);
  throw new LoomError(hidden === state.id ? 'root-not-found' : 'node-not-found', `${what} is deleted`, {
    advice: `To bring it back: ${suggest(`restore ${hidden ?? id}`)}`,
  });
}

/** The block that a node stands for: its only text, or its only block. */
function soleText({ blocks }: NodeState): MessageBlock | undefined {
  const texts = blocks.filter(isText);
  if (texts.length === 1) return texts[0];
  return texts.length === 0 && blocks.length === 1 ? blocks[0] : undefined;
}

function isText({ type }: MessageBlock): boolean {
  return type === 'text' || type === 'thinking' || type === 'code';
}

function ambiguous(what: string, candidates: readonly MessageBlock[]): LoomError {
  const ids = candidates.map(({ block_id = '' }) => block_id);
  const width = Math.max(...ids.map((id) => id.length));
  const lines = candidates.map((block, index) => {
    const words = shorten(showControls(renderBlockAsText(block).slice(0, 400)), 40);
    return `  ${(ids[index] ?? '').padEnd(width)}  ${block.type}  ${words}`.trimEnd();
  });
  return new LoomError('ambiguous-id', what, { advice: ['Name one of them:', ...lines].join('\n'), details: { ids } });
}
