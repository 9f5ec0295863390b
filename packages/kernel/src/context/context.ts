import {
  blocksShownToModel,
  coalesceTextOnlyAdjacent,
  copyJson,
  isBlank,
  isNonEmpty,
  isPlainObject,
  isTextOnly,
} from '@loom/blocks';
import type { Message, MessageBlock, MessageInSequence, ModelBlock, PlainObject } from '@loom/blocks';
import { messageOf } from '../state/node-state.ts';
import type { NodeState } from '../state/node-state.ts';
import type { Hash } from '../ports.ts';
import { pairCallsAndResults } from './pairing.ts';
import type { PathMessage } from './pairing.ts';
import { PrefixChain, providerData } from './prefix.ts';
import type { PrefixHead } from './prefix.ts';
import { visibleBlocks } from './visible-blocks.ts';

/** The messages for a model, and what is known about them. */
export interface Context {
  messages: Message[];
  /** The chain after the last message: the prefix of the first block that the model will write. */
  chain: PrefixChain;
  /** Generated blocks on the path that were written after something else than the blocks that now stand before them. */
  invalid: string[];
  /** Thoughts and signatures on the path that this model is not shown, and why. */
  leftOut: LeftOut[];
}

/** A part of the conversation that a model is not shown. */
export interface LeftOut {
  what: 'thinking' | 'signature';
  /** One sentence. */
  why: string;
  count: number;
}

/**
 * Builds the messages that a model is shown of a path. A pure function of the nodes, which are frozen, and of the model that
 * will read it: the same path gives the same bytes, and a longer one begins with them.
 */
export function buildContext(path: readonly NodeState[], head: PrefixHead, hash: Hash): Context {
  const chain = PrefixChain.from(hash, head);
  const invalid: string[] = [];
  const hidden = new HiddenParts();
  const sequence: MessageInSequence[] = [];
  const paired = pairCallsAndResults(visibleBlocks(path).flatMap(toPathMessage));
  for (const [index, item] of paired.entries()) {
    const continues = isSeam(paired[index - 1], item);
    if (!continues && !isSeam(item, paired[index + 1]) && saysNothing(item.message)) continue;
    const blocks = shownBlocks(
      item,
      head,
      { chain, invalid, hidden },
      continues ? sequence.at(-1)?.message : undefined,
    );
    const message = withContent(item.message, blocks);
    if (message !== undefined) sequence.push({ message, continues });
  }
  const messages = coalesceTextOnlyAdjacent(sequence).map(({ message }) => message);
  return { messages, chain, invalid, leftOut: hidden.list };
}

/** Counts the parts that are left out, by kind and reason. */
class HiddenParts {
  readonly list: LeftOut[] = [];

  add(what: LeftOut['what'], why: string): void {
    const known = this.list.find((entry) => entry.what === what && entry.why === why);
    if (known === undefined) this.list.push({ what, why, count: 1 });
    else known.count += 1;
  }
}

function toPathMessage({ node, blocks }: ReturnType<typeof visibleBlocks>[number]): PathMessage[] {
  const message = messageOf(node, blocks.filter(mayBeAnswered));
  // A result that is still to come is not a result; the pairing answers the call.
  if (message === undefined || node.tool === 'waiting' || node.tool === 'running') return [];
  return [{ message, node }];
}

/** A call that was cut off is not shown, so it must not get a result either. */
function mayBeAnswered({ type, status = 'done', ephemeral }: MessageBlock): boolean {
  return type !== 'tool-use' || (status === 'done' && ephemeral !== true);
}

/** Returns true if a message goes on where the one before it was cut: both edges of the cut have to be visible. */
function isSeam(before: PathMessage | undefined, after: PathMessage | undefined): boolean {
  if (after?.node?.continues !== true || before?.node === undefined || after.node.parent !== before.node.id)
    return false;
  // An error block behind the words is not part of them.
  const isWord = ({ type }: MessageBlock): boolean => type !== 'error';
  const [left, right] = [before.message.content.findLast(isWord), after.message.content[0]];
  return (
    left?.block_id === before.node.blocks.findLast(isWord)?.block_id &&
    right?.block_id === after.node.blocks[0]?.block_id
  );
}

/** White space alone is refused by some providers; it is left out unless it is part of a text that was cut. */
export function saysNothing(message: Message): boolean {
  return message.role !== 'tool' && message.content.every((block) => block.type === 'text' && isBlank(block.text));
}

/**
 * Returns the blocks of one message that this model may see, each entered into the chain. `previous` is the message it
 * continues.
 */
function shownBlocks(
  { message, node }: PathMessage,
  head: PrefixHead,
  { chain, invalid, hidden }: { chain: PrefixChain; invalid: string[]; hidden: HiddenParts },
  previous: Message | undefined,
): ModelBlock[] {
  const shown: ModelBlock[] = [];
  const candidates = blocksShownToModel(message);
  const joins = previous !== undefined && previous.role === message.role && isTextOnly(previous) && isTextOnly(message);
  for (const block of candidates) {
    const changed = block.prefix !== undefined && block.prefix !== chain.value;
    if (changed && block.block_id !== undefined) invalid.push(block.block_id);
    const isSigned = signatureIn(providerData(block, head.provider)) !== undefined;
    const why = block.type === 'thinking' || isSigned ? reasonToHide(block, node, head, changed) : undefined;
    if (why !== undefined) hidden.add(block.type === 'thinking' ? 'thinking' : 'signature', why);
    if (why !== undefined && block.type === 'thinking') continue;
    const whole = bareBlock(block, head.provider);
    const bare = why === undefined ? whole : withoutSignature(whole, head.provider);
    shown.push(bare);
    if (joins && shown.length === 1 && bare.type === 'text') chain.extendLast(message, bare.text);
    else chain.addBlock(message, bare, block);
  }
  if (candidates.length === 0 && message.role === 'tool') chain.addEmpty(message);
  return shown;
}

/** The field of provider data that seals what the model thought before a text, a call or a picture. It holds as long as a thought does. */
const signatureField = 'thoughtSignature';

function signatureIn(own: unknown): unknown {
  return isPlainObject(own) ? own[signatureField] : undefined;
}

function withoutSignature(block: ModelBlock, provider: string): ModelBlock {
  const own = providerData(block, provider);
  if (!isPlainObject(own)) return block;
  const { [signatureField]: _signature, ...rest } = own;
  return { ...block, provider: { [provider]: rest } };
}

/** Returns the reason to hide a thought or a signature from a model; `undefined` if it is shown. */
function reasonToHide(
  { prefix }: ModelBlock,
  node: NodeState | undefined,
  head: PrefixHead,
  changed: boolean,
): string | undefined {
  if (!isBy(node, head)) return 'Another model wrote it.';
  if (prefix === undefined) return 'It was edited, or is not complete.';
  return changed ? 'What stands before it has changed.' : undefined;
}

/** Returns true if the model that will read is the one that wrote. */
function isBy(node: NodeState | undefined, { provider, model }: PrefixHead): boolean {
  return node?.source.type === 'model' && node.source.provider === provider && node.source.model_name === model;
}

/** The block as it is sent: no record, and of its provider data only what this provider gave. */
export function bareBlock(block: ModelBlock, provider: string): ModelBlock {
  const bare = contentOf(block);
  const own = providerData(block, provider);
  return own === undefined ? bare : { ...bare, provider: copyObject({ [provider]: own }) };
}

/** A copy of an object of a log, for code that is not the kernel's. */
export function copyObject(object: PlainObject): PlainObject {
  const copied = copyJson(object);
  if (copied.ok && isPlainObject(copied.value)) return copied.value;
  throw new TypeError('an object of a log is not JSON');
}

function contentOf(block: ModelBlock): ModelBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'thinking':
      return { type: 'thinking', text: block.text };
    case 'tool-use': {
      const { type, id, name, arguments: exact, executed } = block;
      return {
        type,
        id,
        name,
        parameters: copyObject(block.parameters),
        ...(exact === undefined ? {} : { arguments: exact }),
        ...(executed === undefined ? {} : { executed }),
      };
    }
    case 'image': {
      const { type, media_type, blob, url, filename } = block;
      return {
        type,
        media_type,
        ...(blob === undefined ? {} : { blob }),
        ...(url === undefined ? {} : { url }),
        ...(filename === undefined ? {} : { filename }),
      };
    }
  }
}

/** The message with other blocks, or `undefined` if nothing is left that could be sent. */
function withContent(message: Message, blocks: readonly ModelBlock[]): Message | undefined {
  switch (message.role) {
    case 'user': {
      const content = blocks.filter((block) => block.type === 'text' || block.type === 'image');
      return isNonEmpty(content) ? { role: 'user', content } : undefined;
    }
    case 'assistant':
      return isNonEmpty(blocks) ? { role: 'assistant', content: [...blocks] } : undefined;
    case 'tool': {
      const content = blocks.filter((block) => block.type === 'text' || block.type === 'image');
      return { ...message, content };
    }
  }
}
