import { z } from 'zod';
import type { Loom } from '../../app/loom.ts';
import { nameOf as conversationName } from '../../navigator/navigator-rows.ts';
import type { Attachment } from '../attaching/attachments.ts';

/** A mention of something that goes with a message: a block, a whole conversation, or a file of the folder. */
export interface Mention {
  readonly key: string;
  readonly kind: 'block' | 'conversation' | 'file';
  /** A line of it. */
  readonly line: string;
  /** The conversation that it is part of. */
  readonly where: string;
  readonly root: string;
}

const mostOfEach = 6;

/** Finds files of the folder, conversations whose names have the words, and blocks that have them in a line. */
export async function findMentions(loom: Loom, query: string, hasFiles: boolean): Promise<Mention[]> {
  const files = hasFiles ? await findFiles(loom, query) : [];
  return [...files, ...(await findInLoom(loom, query))];
}

const foundFiles = z.object({ items: z.array(z.object({ path: z.string() })) });

/** Finds files of the open conversation's folder, else of the one that is chosen for the conversation to come. */
async function findFiles(loom: Loom, match: string): Promise<Mention[]> {
  const open = loom.conversation.getSnapshot();
  const begun = loom.beginning.folder.getSnapshot();
  // Words can be typed before it is known which folder the conversation has.
  if (open !== undefined && !(await open.untilLoaded())) return [];
  if (open === undefined ? begun === '' : open.folder === undefined) return [];
  const place = open === undefined ? { directory: begun } : { root: open.root };
  const { items } = foundFiles.parse(await loom.ask<string>('folder.files', { ...place, match, limit: mostOfEach }));
  return items.map(({ path }) => ({ key: path, kind: 'file', line: path, where: 'file', root: open?.root ?? '' }));
}

async function findInLoom(loom: Loom, query: string): Promise<Mention[]> {
  const { items } = loom.list.getSnapshot();
  const wanted = query.toLowerCase();
  const nameOf = (root: string): string => {
    const found = items.find(({ id }) => id === root);
    return found === undefined ? 'a conversation' : conversationName(found);
  };
  const conversations = items
    .filter(({ id }) => nameOf(id).toLowerCase().includes(wanted))
    .slice(0, mostOfEach)
    .map(({ id }): Mention => ({ key: id, kind: 'conversation', line: nameOf(id), where: 'conversation', root: id }));
  if (query.length < 2) return conversations;
  const found = await loom.ask('kernel.search', {
    query,
    literal: true,
    ignore_case: true,
    kinds: ['text', 'code'],
    context_lines: 0,
    line_numbers: false,
    max_matches_per_block: 1,
    max_blocks: mostOfEach,
  });
  const blocks = found.blocks.map(({ block_id: key, matches }): Mention => {
    const root = key.split('/')[0] ?? key;
    return { key, kind: 'block', line: matches[0]?.content.trim() ?? '', where: nameOf(root), root };
  });
  return [...conversations, ...blocks];
}

/** Returns a file of the folder as an attachment of the message, with its content as it is now. */
export async function attachedFile(loom: Loom, path: string): Promise<Attachment> {
  const open = loom.conversation.getSnapshot();
  const place = open === undefined ? { directory: loom.beginning.folder.getSnapshot() } : { root: open.root };
  const { uploads } = loom.composer;
  uploads.update((names) => [...names, path]);
  const read = loom.ask('folder.read_file', { ...place, path });
  const {
    text,
    size,
    media_type: type,
    blob,
  } = await read.finally(() => {
    uploads.update((names) => names.filter((name) => name !== path));
  });
  const id = crypto.randomUUID();
  if (blob !== undefined && type !== undefined) return { kind: 'file', id, name: path, type, size, blob };
  return { kind: 'quote', id, name: path, text: fenced(path, text ?? '') };
}

/** Puts the text of a file between fences that it does not have itself. */
function fenced(path: string, text: string): string {
  const runs = text.match(/`{3,}/gu) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  const language = /\.(\w+)$/u.exec(path)?.[1] ?? '';
  return `${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

/** The longest text that is taken from elsewhere. */
const mostText = 200_000;

/** Returns the mentioned text as an attachment of the message. */
export async function quote(loom: Loom, { kind, key, where, line, root }: Mention): Promise<Attachment> {
  const id = crypto.randomUUID();
  if (kind === 'block') {
    const { content } = await loom.ask('block.read', { block_id: key, line_numbers: false });
    return { kind: 'quote', id, name: where, text: content.slice(0, mostText) };
  }
  const { nodes: leaves } = await loom.ask('tree.recent_leaves', { root, limit: 1 });
  const text = leaves[0] === undefined ? '' : await transcript(loom, leaves[0].id);
  return { kind: 'quote', id, name: line, text: text.slice(0, mostText) };
}

async function transcript(loom: Loom, leaf: string): Promise<string> {
  const { nodes } = await loom.ask('node.path', { node: leaf });
  return nodes
    .flatMap(({ message: { role, content } }) => {
      const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n');
      return text === '' || role === 'tool' ? [] : [`${role === 'user' ? 'Person' : 'Model'}: ${text}`];
    })
    .join('\n\n');
}
