import type { ResultOf } from '@loom/kernel';
import { z } from 'zod';
import { answerJson } from '../../answers/answer.ts';
import type { Route } from '../route.ts';
import { take } from './original-request.ts';
import type { Ask, MakeRoute } from './original-request.ts';

type ListedRoot = ResultOf<'root.list'>['items'][number];

/** Conversations, and the shape of all of them. */
export function rootRoutes(route: MakeRoute): Route[] {
  return [
    route('GET', '/api/roots', async ({ ask }) => {
      const roots: unknown[] = [];
      for await (const root of eachRoot(ask)) {
        roots.push(asRoot(root.config_left_out === undefined ? root : await ask('root.get', { root: root.id })));
      }
      return answerJson(roots);
    }),
    route('POST', '/api/roots', async ({ ask, body }) => {
      const { systemPrompt, ...others } = take(begun, body, 'It may have a systemPrompt, a text.');
      const config = systemPrompt === undefined ? others : { ...others, systemPrompt };
      const { root } = await ask('root.find_or_create', { config });
      return answerJson(asRoot(await ask('root.get', { root })));
    }),
    route('GET', '/api/graph/topology', async ({ ask }) => answerJson(await topology(ask))),
  ];
}

const begun = z.looseObject({
  systemPrompt: z
    .string()
    .nullish()
    .transform((given) => given ?? undefined),
});

async function* eachRoot(ask: Ask): AsyncGenerator<ListedRoot> {
  for (let after: string | undefined; ;) {
    const { items, next } = await ask('root.list', { limit: 1000, ...(after === undefined ? {} : { after }) });
    yield* items;
    if (next === undefined) return;
    after = next;
  }
}

/** A conversation as `roots.json` of the original had it. */
function asRoot({ id, created, config }: Pick<ListedRoot, 'id' | 'created' | 'config'>): Record<string, unknown> {
  return { id, createdAt: created, config };
}

/** A node without its text, as the original knew its forest; a conversation is one without a parent. */
interface NodeStructure {
  id: string;
  parent_id: string | null;
  child_ids: string[];
  root_id: string;
  timestamp: string;
  role: 'user' | 'assistant' | 'tool' | 'system';
}

/** The most nodes returned: the original knew all its nodes; of more than it could draw, those of the newest conversations are returned. */
const mostNodes = 20_000;

async function topology(ask: Ask): Promise<NodeStructure[]> {
  const found: NodeStructure[] = [];
  for await (const { id, created, nodes, damaged } of eachRoot(ask)) {
    if (damaged !== undefined) continue;
    if (found.length > 0 && found.length + nodes >= mostNodes) break;
    found.push(...(await structureOf(ask, id, created)));
  }
  return found;
}

async function structureOf(ask: Ask, root: string, created: string): Promise<NodeStructure[]> {
  const top: NodeStructure = {
    id: root,
    parent_id: null,
    child_ids: [],
    root_id: root,
    timestamp: created,
    role: 'system',
  };
  const known = new Map([[root, top]]);
  for (let after: string | undefined; ;) {
    const page = await ask('tree.outline', { top: root, limit: 10_000, ...(after === undefined ? {} : { after }) });
    for (const { id, parent, role, time } of page.items) {
      known.set(id, { id, parent_id: parent, child_ids: [], root_id: root, timestamp: time, role });
      // Parents come before children.
      known.get(parent)?.child_ids.push(id);
    }
    if (page.next === undefined) return [...known.values()];
    after = page.next;
  }
}
