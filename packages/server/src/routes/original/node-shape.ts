import { message } from '@loom/blocks';
import { toLegacyMessage } from '@loom/blocks/legacy';
import type { ResultOf } from '@loom/kernel';

/** A node as operations answer it. */
export type NodeAnswer = ResultOf<'node.get'>;

/** The time from which on `?format=legacy` is not the format to use: 1 September 2025, when content became blocks. */
const deprecatedSince = Date.UTC(2025, 8, 1) / 1000;

/** The form of nodes in answers: in blocks, or as Loom wrote them until September 2025. */
export interface NodeShape {
  isLegacy: boolean;
  of: (node: NodeAnswer) => Record<string, unknown>;
  messageOf: (node: NodeAnswer) => Record<string, unknown>;
  headers: Readonly<Record<string, string>>;
}

/** The shape that a request asks for. */
export function shapeFor(url: URL): NodeShape {
  if (url.searchParams.get('format') !== 'legacy')
    return { isLegacy: false, of: (node) => ({ ...node }), messageOf: (node) => ({ ...node.message }), headers: {} };
  const legacy = (node: NodeAnswer) => toLegacyMessage(message.parse(node.message));
  return {
    isLegacy: true,
    of: (node) => ({ ...node, message: legacy(node) }),
    messageOf: (node) => ({ ...legacy(node) }),
    headers: { deprecation: `@${deprecatedSince}` },
  };
}
