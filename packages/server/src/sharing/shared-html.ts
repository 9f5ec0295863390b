import type { NodeState, RootState } from '@loom/kernel';
import type { SharedCopy } from './shared-copy.ts';

/** The read access to a copy that a writer of files gets. */
export interface CopySource {
  readonly root: { readonly id: string; readonly title?: string; readonly tags: readonly string[] } & {
    /** In milliseconds since 1970. */
    readonly created: number;
    readonly config: RootState['config'];
  };
  node(id: string): NodeState | undefined;
  children(id: string): readonly NodeState[];
  bookmark(node: string): string | undefined;
  blob(id: string): Promise<Uint8Array | undefined>;
}

/** Writes a conversation as one HTML file. The wiring of Loom brings it: this package knows no formats. */
export type HtmlWriter = (source: CopySource) => Promise<AsyncIterable<string>>;

/** Writes a copy for readers as one HTML file. The writer sees nothing but the copy. */
export async function copyAsHtml(copy: SharedCopy, write: HtmlWriter): Promise<{ bytes: Uint8Array; name: string }> {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  for await (const piece of await write(sourceOf(copy))) parts.push(encoder.encode(piece));
  const words = (copy.title ?? '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const name = words.slice(0, 8).join('-').slice(0, 60);
  return { bytes: Buffer.concat(parts), name: `${name === '' ? 'conversation' : name}.html` };
}

function sourceOf(copy: SharedCopy): CopySource {
  const { root, title, nodes } = copy;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const below = Map.groupBy(nodes, ({ parent }) => parent);
  return {
    root: { id: root, tags: [], created: nodes[0]?.time ?? 0, config: {}, ...(title === undefined ? {} : { title }) },
    node: (id) => byId.get(id),
    children: (id) => below.get(id) ?? [],
    bookmark: () => undefined,
    blob: (id) => copy.readBlob(id),
  };
}
