import { createHash, createHmac } from 'node:crypto';
import { messageBlock, personWords, programNotice, renderBlockAsText } from '@loom/blocks';
import type { LongOutput, MessageBlock } from '@loom/blocks';
import { deriveTitle, secretPlace } from '@loom/kernel';
import type { BlobPort, NodeState, RootState, SecretPlace, SourceInfo } from '@loom/kernel';
import { mapTexts, Masking } from './masking.ts';
import type { NotedSecret } from './masking.ts';
import { sharedBlock, unshown } from './shared-block.ts';
import type { CopyNames } from './shared-block.ts';
import { withoutPlaces } from './shared-words.ts';
import type { Share } from './shares.ts';

/** The choices that a copy depends on. */
export type CopyChoices = Pick<Share, 'leaves' | 'thinking' | 'tools' | 'replaced'> & {
  /** Ids of the copy and of its blobs are derived from it. */
  key: string;
};

/** A secret in a copy, and the block that it is in. */
export interface PlacedSecret extends NotedSecret, SecretPlace {
  node: string;
  block: string;
}

/** The part of a conversation that readers of a share get. There is no other way to anything of it. */
export interface SharedCopy {
  readonly title: string | undefined;
  readonly root: string;
  readonly nodes: readonly NodeState[];
  /** The end of the branch that is shown first. */
  readonly leaf: string | undefined;
  /** The secrets in what is shown, whether they are replaced or not. */
  readonly secrets: readonly PlacedSecret[];
  /** The numbers of things that are shown, and of those that could be. */
  readonly counts: { messages: number; blocks: number; tools: number; thinking: number; bytes: number };
  /** Reads a blob of the copy, by the id that it has there. */
  readBlob(id: string): Promise<Uint8Array | undefined>;
}

/** Output and files that are larger are not looked through, and are not part of a copy. */
const largestText = 8 * 1024 * 1024;

/** The characters that are shown of both ends of a long output. */
const shownEnd = 4000;

/**
 * Makes the copy of a share: the one function that everything its readers get goes through. It shows the branches up to their leaves, as
 * they are now; without system prompts, messages of programs, native data, notes, and names and paths of this machine. `undefined` if
 * nothing of it can be seen any more.
 */
export async function copyForReaders(
  state: RootState,
  choices: CopyChoices,
  blobs: Pick<BlobPort, 'get' | 'size'>,
): Promise<SharedCopy | undefined> {
  const found = shownNodes(state, choices.leaves);
  if (found === undefined) return undefined;
  const { title, config } = state;
  const places = withoutPlaces(config);
  const masking = new Masking();
  const root = `shared-${choices.key.slice(0, 12)}`;
  const alias = (blob: string): string => `sha256:${createHmac('sha256', choices.key).update(blob).digest('hex')}`;
  const readable = new Map<string, { blob: string; isText: boolean }>();
  const change = (text: string, name?: string): string =>
    choices.replaced ? masking.write(places(text), name) : places(text);

  // Everything that can be seen is noted before anything is written, the outputs that are kept apart and what stays unseen included.
  masking.note(config.systemPrompt ?? '');
  const texts = new Map<string, string>();
  const secrets: PlacedSecret[] = [];
  const counts = { messages: 0, blocks: 0, tools: 0, thinking: 0, bytes: 0 };
  const drawn: { node: NodeState; blocks: { from: MessageBlock; block: MessageBlock }[] }[] = [];
  const names = namesFor(root);
  for (const node of found) {
    if (isOfProgram(node)) continue;
    const blocks: { from: MessageBlock; block: MessageBlock }[] = [];
    for (const from of node.blocks) {
      if (isNoticeText(node, from)) continue;
      if (from.type === 'tool-use') counts.tools += 1;
      if (from.type === 'thinking' && from.text !== '') counts.thinking += 1;
      for (const blob of await textBlobs(from, blobs)) texts.set(blob.id, blob.text);
      const block = node.role === 'tool' && !choices.tools ? undefined : sharedBlock(from, choices, names);
      if (block === undefined) masking.note(renderBlockAsText(from));
      else blocks.push({ from, block });
    }
    drawn.push({ node, blocks });
  }
  for (const { node, blocks } of drawn) {
    for (const { from, block } of blocks) {
      const note = (text: string, name?: string): string => {
        for (const secret of masking.note(places(text), name))
          secrets.push({ ...secret, ...secretPlace(node, from), node: node.id, block: from.block_id ?? '' });
        return text;
      };
      mapTexts(contentFor(block), note);
      for (const id of blobsOf(block)) note(texts.get(id) ?? '');
    }
  }

  const ids = new Map<string, string>([[state.id, root]]);
  const nodes: NodeState[] = [];
  for (const { node, blocks } of drawn) {
    const parent = ids.get(nearestShown(state, node.parent, ids)) ?? root;
    const content: MessageBlock[] = [];
    for (const { block } of blocks) {
      const written = writeBlobs(block, { texts, alias, change, readable });
      const clean = messageBlock.parse({
        ...asObject(mapTexts(written, (text, name) => (readable.has(text) ? text : change(text, name)))),
        ...ownFields(written),
      });
      counts.blocks += 1;
      counts.bytes += JSON.stringify(clean).length;
      content.push(clean);
    }
    if (content.length === 0) continue;
    const id = `${root}/node-${nodes.length + 1}`;
    ids.set(node.id, id);
    if (node.role !== 'tool') counts.messages += 1;
    nodes.push(nodeFor(node, { id, parent, blocks: content, change, names }));
  }
  const leaf = choices.leaves
    .map((one) => ids.get(nearestShown(state, one, ids)))
    .find((id) => id !== undefined && id !== root);
  return {
    title: title === undefined ? titleIn(nodes) : change(title),
    root,
    nodes,
    leaf,
    secrets,
    counts,
    async readBlob(id) {
      const known = readable.get(id);
      if (known === undefined) return undefined;
      const text = texts.get(known.blob);
      if (known.isText) return text === undefined ? undefined : new TextEncoder().encode(change(text));
      return blobs.get(known.blob);
    },
  };
}

/** Names a conversation without a title by what a person asked first, as it is shown. */
function titleIn(nodes: readonly NodeState[]): string | undefined {
  const asked = nodes.flatMap(({ role, blocks }) =>
    role === 'user' ? blocks.flatMap((block) => (block.type === 'text' ? [personWords(block.text)] : [])) : [],
  );
  const words = asked.find((text) => text.trim() !== '');
  return words === undefined ? undefined : deriveTitle(words);
}

/** The messages of the branches, parents before children; `undefined` if none of their ends can be seen. */
function shownNodes(state: RootState, leaves: readonly string[]): NodeState[] | undefined {
  if (state.deleted) return undefined;
  const seen = new Map<string, NodeState>();
  for (const leaf of leaves) {
    if (!state.nodes.has(leaf) || !state.isVisible(leaf)) continue;
    for (const node of state.pathTo(leaf)) seen.set(node.id, node);
  }
  return seen.size === 0 ? undefined : [...seen.values()];
}

/** Changes with what a copy shows, and with nothing else of the conversation. A purge begins a new epoch. */
export function stampOf(state: RootState, leaves: readonly string[], epoch: string): string | undefined {
  const nodes = shownNodes(state, leaves);
  if (nodes === undefined) return undefined;
  const marks = nodes.map(({ id, touched }) => `${id} ${touched}`);
  return createHash('sha256')
    .update([epoch, state.title ?? '', ...marks].join('\n'))
    .digest('hex');
}

/** Returns true for what a program wrote in a person's name: its surroundings, its instructions, its notices. */
function isOfProgram({ role, notice, custom_data: data, draft }: NodeState): boolean {
  return draft === true || (role === 'user' && (notice !== undefined || data?.['synthetic'] === true));
}

function isNoticeText({ role, origin }: NodeState, block: MessageBlock): boolean {
  return role === 'user' && origin !== undefined && block.type === 'text' && programNotice(block.text) !== undefined;
}

function nearestShown(state: RootState, from: string, ids: ReadonlyMap<string, string>): string {
  let at = from;
  while (!ids.has(at)) {
    const node = state.nodes.get(at);
    if (node === undefined) return state.id;
    at = node.parent;
  }
  return at;
}

function namesFor(root: string): CopyNames {
  const calls = new Map<string, string>();
  let blocks = 0;
  return {
    block: () => `${root}/@shared/${(blocks += 1)}`,
    call(id) {
      const known = calls.get(id) ?? `call-${calls.size + 1}`;
      calls.set(id, known);
      return known;
    },
  };
}

interface NodeParts {
  id: string;
  parent: string;
  blocks: MessageBlock[];
  change: (text: string) => string;
  names: CopyNames;
}

function nodeFor(node: NodeState, { id, parent, blocks, change, names }: NodeParts): NodeState {
  const { role, time, tool_call_id: call, is_error: isError, started_at, ended_at, tool } = node;
  const made = {
    id,
    parent,
    role,
    blocks,
    source: sourceFor(node.source, change),
    time,
    ...(call === undefined ? {} : { tool_call_id: names.call(call) }),
    ...(isError === undefined ? {} : { is_error: isError }),
    ...(started_at === undefined ? {} : { started_at }),
    ...(ended_at === undefined ? {} : { ended_at }),
    ...(tool === undefined ? {} : { tool }),
  };
  // A number of its own: that of the log would say how much else happens there.
  const touched = createHash('sha256').update(JSON.stringify(made)).digest().readUInt32BE();
  return { ...made, touched };
}

function sourceFor(source: SourceInfo, change: (text: string) => string): SourceInfo {
  switch (source.type) {
    case 'user':
      return { type: 'user' };
    case 'tool_result':
      return { type: 'tool_result', tool_name: change(source.tool_name) };
    case 'model':
      return { type: 'model', provider: source.provider, model_name: source.model_name, parameters: {} };
  }
}

/** The content of a block alone: its ids are no texts. */
function contentFor({ block_id: _id, created_at: _created, ended_at: _ended, ...content }: MessageBlock): unknown {
  return content;
}

/** Text that is kept apart from its block: long output, and text files. */
async function textBlobs(
  block: MessageBlock,
  blobs: Pick<BlobPort, 'get' | 'size'>,
): Promise<{ id: string; text: string }[]> {
  const found: { id: string; text: string }[] = [];
  for (const id of block.type === 'image' && !isText(block.media_type) ? [] : blobsOf(block)) {
    const size = await blobs.size(id);
    if (size === undefined || size > largestText) continue;
    const bytes = await blobs.get(id);
    if (bytes !== undefined) found.push({ id, text: new TextDecoder().decode(bytes) });
  }
  return found;
}

function isText(type: string): boolean {
  return /^text\/|[/+](?:json|xml|yaml|x-yaml|toml|javascript|x-sh)$/u.test(type);
}

function blobsOf(block: MessageBlock): string[] {
  if (block.type === 'image') return block.blob === undefined ? [] : [block.blob];
  if (block.type !== 'command') return [];
  return [block.stdout, block.stderr].flatMap((output) =>
    typeof output === 'object' && output.blob !== undefined ? [output.blob] : [],
  );
}

interface BlobParts {
  texts: ReadonlyMap<string, string>;
  alias: (blob: string) => string;
  change: (text: string) => string;
  /** Takes the blobs that may be read. */
  readable: Map<string, { blob: string; isText: boolean }>;
}

/** Gives the blobs of a block the ids that they have in the copy; takes out those that nothing has looked through. */
function writeBlobs(block: MessageBlock, parts: BlobParts): MessageBlock {
  const { texts, alias, readable } = parts;
  if (block.type === 'image') {
    const { blob, media_type: type } = block;
    if (blob === undefined) return block;
    const isPicture = /^image\/(?:png|jpeg|gif|webp|avif)$/u.test(type);
    if (!isPicture && !texts.has(blob))
      return {
        type: 'text',
        text: unshown(block.filename),
        ...(block.block_id === undefined ? {} : { block_id: block.block_id }),
      };
    readable.set(alias(blob), { blob, isText: !isPicture });
    return { ...block, blob: alias(blob) };
  }
  if (block.type !== 'command') return block;
  const { stdout, stderr, ...rest } = block;
  return {
    ...rest,
    ...(stdout === undefined ? {} : { stdout: writeOutput(stdout, parts) }),
    ...(stderr === undefined ? {} : { stderr: writeOutput(stderr, parts) }),
  };
}

/** The ends of a long output are those of the copy: cut before the dots were set, they could hold a half of a secret. */
function writeOutput(output: string | LongOutput, { texts, alias, change, readable }: BlobParts): string | LongOutput {
  if (typeof output === 'string') return output;
  const { blob } = output;
  const text = blob === undefined ? undefined : texts.get(blob);
  if (blob === undefined || text === undefined) return '(This output is too long to be part of this link.)';
  const written = change(text);
  readable.set(alias(blob), { blob, isText: true });
  return {
    blob: alias(blob),
    bytes: new TextEncoder().encode(written).length,
    preview: written.slice(0, shownEnd),
    tail: written.slice(-shownEnd),
  };
}

/** The fields of a block that are no texts of its author: a value of a few, or a name that the copy gave. */
function ownFields(block: MessageBlock): object {
  const { type, block_id, status, created_at, ended_at } = block;
  return {
    type,
    ...(block_id === undefined ? {} : { block_id }),
    ...(status === undefined ? {} : { status }),
    ...(created_at === undefined ? {} : { created_at }),
    ...(ended_at === undefined ? {} : { ended_at }),
    ...(block.type === 'tool-use' ? { id: block.id } : {}),
    ...(block.type === 'image' ? { media_type: block.media_type } : {}),
  };
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
