import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import type { ListResourcesResult, ReadResourceResult, ResourceTemplateType } from '@modelcontextprotocol/server';
import { renderBlockAsMarkdown } from '@loom/blocks';
import type { Caller, LoomEngine, ResultOf } from '@loom/kernel';
import { mcpWords } from './refusal-words.ts';

type Calls = Pick<LoomEngine, 'call'>;
type Contents = ReadResourceResult['contents'][number];
type Nodes = ResultOf<'node.path'>['nodes'];

/** The most text of a conversation shown at once, in characters; its end is what matters most. */
const longest = 100_000;

/** The number of conversations listed at once. */
const pageSize = 100;

const markdown = 'text/markdown';

/** The resources of a conversation, and their addresses. */
export const resourceTemplates: ResourceTemplateType[] = [
  {
    name: 'conversation',
    title: 'Conversation',
    uriTemplate: 'loom://conversations/{conversation}',
    description: 'A conversation as Markdown: its title, its system prompt, and its most recently active branch.',
    mimeType: markdown,
  },
  {
    name: 'conversation-json',
    title: 'Conversation as JSON',
    uriTemplate: 'loom://conversations/{conversation}/json',
    description: 'The same as JSON, with ids, versions and everything else that is known: {conversation, nodes}.',
    mimeType: 'application/json',
  },
  {
    name: 'branch',
    title: 'Branch',
    uriTemplate: 'loom://branches/{message}',
    description: 'The branch up to a message, as Markdown. The id of the message is percent-encoded.',
    mimeType: markdown,
  },
];

/** The target of an address. */
type Address = { type: 'conversation' | 'json' | 'branch'; id: string };

export function addressOf(uri: string): Address | undefined {
  const [, place, id, form] = /^loom:\/\/(conversations|branches)\/([^/?#]+)(\/json)?$/u.exec(uri) ?? [];
  if (place === undefined || id === undefined || (place === 'branches' && form !== undefined)) return undefined;
  try {
    const type = place === 'branches' ? 'branch' : form === undefined ? 'conversation' : 'json';
    return { type, id: decodeURIComponent(id) };
  } catch {
    return undefined;
  }
}

export function conversationUri(root: string): string {
  return `loom://conversations/${encodeURIComponent(root)}`;
}

/** The conversations that the caller may see, the one that was changed last first. */
export async function listResources(engine: Calls, caller: Caller, after?: string): Promise<ListResourcesResult> {
  const page = await engine.call('root.list', caller, { limit: pageSize, ...(after === undefined ? {} : { after }) });
  if (!page.ok) throw new ProtocolError(ProtocolErrorCode.InvalidParams, mcpWords(page.refusal));
  const { items, next } = page.value;
  return {
    resources: items.map(({ id, title, updated }) => ({
      uri: conversationUri(id),
      name: id,
      title: title ?? id,
      mimeType: markdown,
      annotations: { lastModified: updated },
    })),
    ...(next === undefined ? {} : { nextCursor: next }),
  };
}

/** Reads the resource at an address, as it is now. One that does not exist, or that the caller may not see, is not found. */
export async function readResource(engine: Calls, caller: Caller, uri: string): Promise<Contents> {
  const address = addressOf(uri);
  if (address === undefined) throw new ResourceNotFoundError(uri);
  if (address.type === 'branch') {
    const { nodes } = await valueOf(engine.call('node.path', caller, { node: address.id }), uri);
    return { uri, mimeType: markdown, text: renderBranch(undefined, nodes) };
  }
  const conversation = await valueOf(engine.call('root.get', caller, { root: address.id }), uri);
  const { nodes } = await newestBranch(engine, caller, address.id, uri);
  if (address.type === 'conversation') return { uri, mimeType: markdown, text: renderBranch(conversation, nodes) };
  return { uri, mimeType: 'application/json', text: JSON.stringify({ conversation, nodes }) };
}

async function newestBranch(engine: Calls, caller: Caller, root: string, uri: string): Promise<{ nodes: Nodes }> {
  const leaves = await valueOf(engine.call('tree.recent_leaves', caller, { root, limit: 1 }), uri);
  const [leaf] = leaves.nodes;
  return leaf === undefined ? { nodes: [] } : valueOf(engine.call('node.path', caller, { node: leaf.id }), uri);
}

async function valueOf<T>(answer: Promise<{ ok: true; value: T } | { ok: false }>, uri: string): Promise<T> {
  const outcome = await answer;
  if (!outcome.ok) throw new ResourceNotFoundError(uri);
  return outcome.value;
}

/** A branch for reading. Each message is headed by who speaks and its id, which tools take. */
function renderBranch(conversation: ResultOf<'root.get'> | undefined, nodes: Nodes): string {
  const prompt = conversation?.config?.systemPrompt;
  const head = [
    ...(conversation === undefined ? [] : [`# ${conversation.title ?? conversation.id}`]),
    ...(prompt === undefined ? [] : [`## System prompt\n\n${prompt}`]),
  ];
  const sections = nodes.map(({ id, message, metadata }) => {
    const { source_info: source } = metadata;
    const speaker = source.type === 'model' && source.model_name !== '' ? source.model_name : message.role;
    const body = message.content.map(renderBlockAsMarkdown).filter((text) => text !== '');
    return [`## ${speaker} · ${id}`, ...body].join('\n\n');
  });
  const kept: string[] = [];
  let size = 0;
  for (const section of sections.toReversed()) {
    size += section.length;
    if (size > longest && kept.length > 0) break;
    kept.unshift(section.length > longest ? `…${section.slice(-longest)}` : section);
  }
  const missing = sections.length - kept.length;
  const note =
    missing === 0
      ? []
      : [
          `*${missing === 1 ? '1 earlier message is' : `${missing} earlier messages are`} left out: node_path reads them.*`,
        ];
  return `${[...head, ...note, ...kept].join('\n\n')}\n`;
}
