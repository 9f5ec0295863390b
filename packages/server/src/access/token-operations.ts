import { defineOperation, refuse, refuseLimited } from '@loom/kernel';
import { z } from 'zod';
import { pushOperations } from '../push/push-operations.ts';
import { shareOperations } from '../sharing/share-operations.ts';
import type { HtmlWriter } from '../sharing/shared-html.ts';
import { identityFields } from './tokens.ts';
import type { Tokens } from './tokens.ts';

const listed = z.strictObject({
  id: z.string().describe('If the token was created with another token, starts with the id of that token and a dot.'),
  ...identityFields,
  created_at: z.int().describe('Milliseconds since 1970.'),
  expires_at: z.int().exactOptional(),
});

/** Operations about the tokens of a data folder, the links made with them, and the browsers told of turns, at no door of a model. Those about tokens and links are an owner's alone. */
export function tokenOperations(open: () => Promise<Tokens>, writeHtml: HtmlWriter) {
  return [
    defineOperation({
      name: 'token.create',
      summary:
        'Creates a token that an agent signs in with. The token is shown only once; only its hash is kept. It ends no later than the token that created it.',
      params: () =>
        z.strictObject({
          ...identityFields,
          days: z
            .number()
            .positive()
            .max(36_500)
            .exactOptional()
            .describe('How long it is valid. Default: until it is revoked or the token that created it ends.'),
          kept: z
            .boolean()
            .exactOptional()
            .describe('false: it is not stored and ends with the server process. Default: true.'),
        }),
      result: () =>
        z.strictObject({
          id: z.string(),
          token: z.string(),
          expires_at: z.int().exactOptional().describe('Milliseconds since 1970; absent if it is valid until revoked.'),
        }),
      effect: 'changes',
      role: 'owner',
      isSecret: true,
      run: async (_engine, { type, credential }, { days, kept: isKept = true, ...identity }) => {
        // Only persons approve calls: a program that could make a person could approve its own.
        if (identity.type === 'person' && type !== 'person')
          return refuse({ reason: 'not-permitted', needs: 'person', operation: 'token.create' });
        const lifetime = days === undefined ? {} : { lifetime: Math.ceil(days * 24 * 60 * 60 * 1000) };
        const parent = credential === undefined ? {} : { parent: credential };
        const tokens = await open();
        return { ok: true, value: await tokens.create({ identity, isKept, ...lifetime, ...parent }) };
      },
    }),
    defineOperation({
      name: 'token.list',
      summary: 'Lists the valid tokens, without their secrets.',
      params: () => z.strictObject({}),
      result: () => z.strictObject({ items: z.array(listed) }),
      effect: 'reads',
      role: 'owner',
      run: async (_engine, caller) => {
        const denied = refuseLimited(caller, 'token.list');
        if (denied !== undefined) return denied;
        const { list } = await open();
        return { ok: true, value: { items: list.map(({ hash: _secret, ...rest }) => rest) } };
      },
    }),
    defineOperation({
      name: 'token.revoke',
      summary: 'Revokes a token and every token created with it. Returns whether the token existed.',
      params: () => z.strictObject({ id: z.string().describe('The id of the token, from token.list.') }),
      result: () => z.strictObject({ revoked: z.boolean() }),
      effect: 'changes',
      role: 'owner',
      run: async (_engine, _caller, { id }) => {
        const tokens = await open();
        return { ok: true, value: { revoked: await tokens.revoke(id) } };
      },
    }),
    ...shareOperations(
      async () => (await open()).shares,
      async (credential) => (await open()).parentOf(credential),
      writeHtml,
    ),
    ...pushOperations(open),
  ] as const;
}
