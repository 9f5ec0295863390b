import type { MessageBlock } from '@loom/blocks';
import type { NodeState, SourceInfo } from '@loom/kernel';
import type { ExportedRoot, ExportSource } from '../source.ts';

/** The fields of a node that a test gives; the rest follows from its place in the list. */
export interface SampleNode extends Partial<Omit<NodeState, 'id' | 'parent' | 'blocks'>> {
  readonly name: string;
  /** The name of another one; the root by default. */
  readonly parent?: string;
  readonly role: NodeState['role'];
  readonly blocks: readonly MessageBlock[];
}

export interface Sample {
  readonly root?: Partial<ExportedRoot>;
  readonly nodes: readonly SampleNode[];
  readonly blobs?: ReadonlyMap<string, Uint8Array>;
  readonly bookmarks?: Readonly<Record<string, string>>;
}

export const sampleStart = Date.UTC(2026, 10, 17, 12);

/** Returns a conversation in memory: nodes are named `root/<name>`, and blocks without an id get one. */
export function sampleSource({ root = {}, nodes, blobs = new Map(), bookmarks = {} }: Sample): ExportSource {
  const id = root.id ?? 'root';
  let blocks = 0;
  const states = nodes.map((sample, index): NodeState => {
    const { name, parent, role, ...rest } = sample;
    return {
      source: sourceOf(role),
      time: sampleStart + index * 1000,
      touched: index + 2,
      ...rest,
      id: `${id}/${name}`,
      parent: parent === undefined ? id : `${id}/${parent}`,
      role,
      blocks: sample.blocks.map((block) => ({ block_id: `${id}/@test/${(blocks += 1)}`, ...block })),
    };
  });
  const byId = new Map(states.map((state) => [state.id, state]));
  const live = states.filter(({ deleted }) => deleted !== true);
  return {
    root: { id, tags: [], created: sampleStart, config: {}, ...root },
    node: (node) => byId.get(node),
    children: (parent) => live.filter((node) => node.parent === parent),
    bookmark: (node) => bookmarks[node.slice(id.length + 1)],
    blob: (blob) => Promise.resolve(blobs.get(blob)),
  };
}

function sourceOf(role: NodeState['role']): SourceInfo {
  if (role === 'user') return { type: 'user' };
  if (role === 'tool') return { type: 'tool_result', tool_name: 'read_file' };
  return { type: 'model', provider: 'demo', model_name: 'demo-echo', parameters: {} };
}

/** Returns a user's message between two that programs have written in the user's name. */
export function saidByPrograms(): ExportSource {
  const said = (name: string, parent: string | undefined, isSynthetic: boolean): SampleNode => ({
    name,
    ...(parent === undefined ? {} : { parent }),
    role: 'user',
    custom_data: isSynthetic ? { synthetic: true } : {},
    blocks: [{ type: 'text', text: `words of ${name}` }],
  });
  return sampleSource({ nodes: [said('a', undefined, true), said('b', 'a', false), said('c', 'b', true)] });
}

/** Everything that a writer yields, in one text. */
export async function gathered(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}
