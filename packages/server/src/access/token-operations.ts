import { defineOperation, refuse, refuseLimited } from '@loom/kernel';
import { z } from 'zod';
import { identityFields } from './tokens.ts';
import type { Tokens } from './tokens.ts';

const listed = z.strictObject({
  id: z.string().describe('Begins with the id of the token that it was made with, if there is one, and a dot.'),
  ...identityFields,
  created_at: z.int().describe('Milliseconds since 1970.'),
  expires_at: z.int().exactOptional(),
});

/** Operations about the tokens of a data folder. They are an owner's alone, and at no door of a model. */
export function tokenOperations(open: () => Promise<Tokens>) {
  return [
    defineOperation({
      name: 'token.create',
      summary:
        'Makes a token by which an agent signs in. It is shown this once; only its hash is kept. It ends at the latest with the token that asked for it.',
      params: z.strictObject({
        ...identityFields,
        days: z
          .number()
          .positive()
          .max(36_500)
          .exactOptional()
          .describe('How long it is valid. Default: until it is revoked, or the token that asks for it ends.'),
        kept: z
          .boolean()
          .exactOptional()
          .describe('False: it is written nowhere and ends with the process that serves. Default: true.'),
      }),
      result: z.strictObject({
        id: z.string(),
        token: z.string(),
        expires_at: z.int().exactOptional().describe('Milliseconds since 1970; absent if it ends by revocation alone.'),
      }),
      effect: 'changes',
      role: 'owner',
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
      summary: 'Lists the tokens that are valid, without what is secret about them.',
      params: z.strictObject({}),
      result: z.strictObject({ items: z.array(listed) }),
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
      summary:
        'Makes a token invalid from now on, and with it every token that was made with it. Returns whether there was such a token.',
      params: z.strictObject({ id: z.string().describe('The id of the token, as token.list shows it.') }),
      result: z.strictObject({ revoked: z.boolean() }),
      effect: 'changes',
      role: 'owner',
      run: async (_engine, _caller, { id }) => {
        const tokens = await open();
        return { ok: true, value: { revoked: await tokens.revoke(id) } };
      },
    }),
  ] as const;
}
