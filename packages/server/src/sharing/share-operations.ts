import { createHash, randomBytes } from 'node:crypto';
import { defineOperation, placeId, refuse } from '@loom/kernel';
import type { Caller, LoomEngine, Outcome, RootState } from '@loom/kernel';
import { z } from 'zod';
import { copyForReaders } from './shared-copy.ts';
import { copyAsHtml } from './shared-html.ts';
import type { HtmlWriter } from './shared-html.ts';
import type { Share, Shares } from './shares.ts';

const day = 24 * 60 * 60 * 1000;
const usualDays = 7;

/** The most branches of a conversation that one share shows. */
const mostLeaves = 500;

const what = {
  place: placeId.describe(
    'The message that the shared branch ends at, or a conversation: its most recent branch. Nothing behind it is shown, now or later.',
  ),
  whole: z.boolean().default(false).describe('Share all branches that there are now, even if a message is named.'),
  thinking: z.boolean().default(false).describe('Show thinking.'),
  tools: z.boolean().default(true).describe('Show calls of tools and their results.'),
};

const replaceSecrets = z
  .boolean()
  .default(true)
  .describe('Show •••• in the place of keys, tokens and passwords. share.preview lists them.');

const listed = z.strictObject({
  id: z.string(),
  root: z.string(),
  leaf: z.string().describe('The message that the shared branch ends at; of several branches one of them.'),
  title: z.string().exactOptional().describe('The title of the conversation.'),
  whole: z.boolean(),
  thinking: z.boolean(),
  tools: z.boolean(),
  replaced: z.boolean().describe('Whether readers get dots in the place of secrets.'),
  agent: z.string().describe('The name of the person who made it.'),
  created_at: z.int().describe('Milliseconds since 1970.'),
  until: z.int().describe('When the link ends, in milliseconds since 1970.'),
  ended: z.boolean(),
});

/** Operations about links by which people without a token read a branch or a conversation. */
export function shareOperations(
  open: () => Promise<Shares>,
  parentOf: (credential: string) => Promise<string | undefined>,
  writeHtml: HtmlWriter,
) {
  return [
    defineOperation({
      name: 'share.preview',
      summary:
        'Returns what a link would show, and the secrets in it, none of them whole. Nothing is shared. Outputs and files above 8 MB, files other than texts and pictures, system prompts and messages of programs are not part of a link.',
      params: () => z.strictObject(what),
      result: () =>
        z.strictObject({
          title: z.string().exactOptional(),
          branches: z.int().describe('The number of branches of the conversation.'),
          messages: z.int(),
          blocks: z.int().describe('Blocks that were looked through for secrets.'),
          tools: z.int().describe('Calls of tools.'),
          thinking: z.int().describe('Blocks of thinking.'),
          bytes: z.int(),
          secrets: z.array(
            z.strictObject({
              node: z.string(),
              block: z.string(),
              role: z.enum(['user', 'assistant', 'tool']),
              type: z.string().describe('The type of the block.'),
              about: z
                .string()
                .exactOptional()
                .describe('The command, file or tool of the block, without its secrets.'),
              kind: z.string().describe('The kind of secret, such as GitHub token.'),
              masked: z.string().describe('Its first and last characters at most.'),
            }),
          ),
        }),
      refusals: ['empty-message'],
      effect: 'reads',
      role: 'owner',
      run: async (engine, _caller, { place, whole, thinking, tools }) => {
        const found = await findLeaves(engine, place, whole);
        if (!found.ok) return found;
        const { state, leaves, branches } = found.value;
        const choices = { leaves, thinking, tools, replaced: true, key: hashOf(place) };
        const copy = await copyForReaders(state, choices, engine.blobs);
        if (copy === undefined || copy.leaf === undefined) return refuse({ reason: 'empty-message', message: 0 });
        const { title, counts, secrets } = copy;
        const value = {
          ...(title === undefined ? {} : { title }),
          branches,
          ...counts,
          secrets: secrets.map((one) => ({ ...one })),
        };
        return { ok: true, value };
      },
    }),
    defineOperation({
      name: 'share.save',
      summary:
        'Writes what a link would show as one HTML file that needs no server, and shares nothing. The result is stored as a blob.',
      params: () => z.strictObject({ ...what, replace_secrets: replaceSecrets }),
      result: () =>
        z.strictObject({
          blob: z.string().describe('The id of the blob that holds the file.'),
          bytes: z.int(),
          name: z.string().describe('A suggested file name.'),
          media_type: z.string(),
        }),
      refusals: ['empty-message'],
      effect: 'changes',
      role: 'owner',
      run: async (engine, _caller, { place, whole, thinking, tools, replace_secrets: replaced }) => {
        const found = await findLeaves(engine, place, whole);
        if (!found.ok) return found;
        const { state, leaves } = found.value;
        const copy = await copyForReaders(
          state,
          // The key is forgotten: no other file and no link has the same names in it.
          { leaves, thinking, tools, replaced, key: randomBytes(32).toString('hex') },
          engine.blobs,
        );
        if (copy === undefined || copy.leaf === undefined) return refuse({ reason: 'empty-message', message: 0 });
        const { bytes, name } = await copyAsHtml(copy, writeHtml);
        const value = { blob: await engine.blobs.put(bytes), bytes: bytes.length, name, media_type: 'text/html' };
        return { ok: true, value };
      },
    }),
    defineOperation({
      name: 'share.create',
      summary:
        'Makes a link by which people without a token read a branch or a conversation, and nothing else of Loom. Readers get a filtered copy: without system prompts, native data and thinking, with dots in the place of secrets. The link is shown only once. It ends with its time, when it is revoked, or with the token that made it.',
      params: () =>
        z.strictObject({
          ...what,
          replace_secrets: replaceSecrets,
          days: z.number().positive().max(365).default(usualDays).describe('How long the link works.'),
        }),
      result: () =>
        z.strictObject({
          id: z.string(),
          path: z.string().describe('The link, without the address of the server: /s/<id>#<secret>.'),
          until: z.int().describe('When it ends, in milliseconds since 1970.'),
        }),
      refusals: ['empty-message'],
      effect: 'changes',
      role: 'owner',
      isSecret: true,
      run: async (
        engine,
        { agent, credential },
        { place, whole, thinking, tools, replace_secrets: replaced, days },
      ) => {
        const found = await findLeaves(engine, place, whole);
        if (!found.ok) return found;
        const { state, leaves } = found.value;
        const parent = credential === undefined ? undefined : await parentOf(credential);
        const shares = await open();
        const lifetime = Math.ceil(days * day);
        const choices = { root: state.id, leaves, whole, thinking, tools, replaced, agent, lifetime, parent };
        const { share, secret } = await shares.create(choices);
        return { ok: true, value: { id: share.id, path: `/s/${share.id}#${secret}`, until: share.until } };
      },
    }),
    defineOperation({
      name: 'share.list',
      summary:
        'Lists the links that show conversations, without their secrets. Those that ended are listed for 30 days.',
      params: () => z.strictObject({}),
      result: () => z.strictObject({ items: z.array(listed) }),
      effect: 'reads',
      role: 'owner',
      run: async (engine, caller) => {
        const shares = await open();
        const items: z.infer<typeof listed>[] = [];
        for (const share of await shares.list())
          if (maySee(caller, share)) items.push(await describe(engine, share, shares.endOf(share.id)));
        return { ok: true, value: { items } };
      },
    }),
    defineOperation({
      name: 'share.revoke',
      summary: 'Ends a link at once, also in pages that show it. Returns whether it existed.',
      params: () => z.strictObject({ id: z.string().describe('The id of the link, from share.list.') }),
      result: () => z.strictObject({ revoked: z.boolean() }),
      effect: 'changes',
      role: 'owner',
      run: async (_engine, _caller, { id }) => ({ ok: true, value: { revoked: await (await open()).revoke(id) } }),
    }),
  ] as const;
}

function maySee({ roots }: Caller, { root }: Share): boolean {
  return roots === undefined || roots.includes(root);
}

async function describe(
  engine: Pick<LoomEngine, 'forest' | 'now'>,
  share: Share,
  end: number,
): Promise<z.infer<typeof listed>> {
  const { forest } = engine;
  const { hash: _hash, parent: _parent, leaves, until, ...rest } = share;
  const { value: title } = (await forest.has(share.root))
    ? await forest.log(share.root).read((state) => state.title)
    : { value: undefined };
  return {
    ...rest,
    leaf: leaves[0] ?? share.root,
    ...(title === undefined ? {} : { title }),
    // Without its token there is no time at which it ended.
    until: end === 0 ? until : end,
    ended: end <= engine.now(),
  };
}

/** Finds the ends of the branches to share. */
async function findLeaves(
  engine: LoomEngine,
  place: string,
  whole: boolean,
): Promise<Outcome<{ state: RootState; leaves: string[]; branches: number }>> {
  const root = place.split('/node-')[0] ?? place;
  const opened = await engine.open(root);
  if (!opened.ok) return opened;
  const state = opened.value;
  if (state.deleted) return refuse({ reason: 'root-deleted', root });
  const recent = state.recentLeaves(mostLeaves + 1).map(({ id }) => id);
  const [latest] = recent;
  const leaf = state.nodes.has(place) ? place : latest;
  if (leaf === undefined) return refuse({ reason: 'empty-message', message: 0 });
  const leaves = whole ? [...new Set([leaf, ...recent])].slice(0, mostLeaves) : [leaf];
  return { ok: true, value: { state, leaves, branches: recent.length } };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
