import { defineOperation } from '@loom/kernel';
import { z } from 'zod';
import { identityFields } from './tokens.ts';
import type { Tokens } from './tokens.ts';

const listed = z.strictObject({
  id: z.string(),
  ...identityFields,
  created_at: z.int().describe('Milliseconds since 1970.'),
  expires_at: z.int().exactOptional(),
});

/** Operations about the tokens of a data folder. They are an owner's alone, and at no door of a model. */
export function tokenOperations(open: () => Promise<Tokens>) {
  return [
    defineOperation({
      name: 'token.create',
      summary: 'Makes a token by which an agent signs in. It is shown this once; only its hash is kept.',
      params: z.strictObject({
        ...identityFields,
        days: z
          .number()
          .positive()
          .max(36_500)
          .exactOptional()
          .describe('How long it is valid. Default: until it is revoked.'),
        kept: z
          .boolean()
          .exactOptional()
          .describe('False: it is written nowhere and ends with the process that serves. Default: true.'),
      }),
      result: z.strictObject({ id: z.string(), token: z.string() }),
      effect: 'changes',
      role: 'owner',
      run: async (_engine, _caller, { days, kept: isKept = true, ...identity }) => {
        const lifetime = days === undefined ? {} : { lifetime: Math.ceil(days * 24 * 60 * 60 * 1000) };
        const tokens = await open();
        return { ok: true, value: await tokens.create({ identity, isKept, ...lifetime }) };
      },
    }),
    defineOperation({
      name: 'token.list',
      summary: 'Lists the tokens that are valid, without what is secret about them.',
      params: z.strictObject({}),
      result: z.strictObject({ items: z.array(listed) }),
      effect: 'reads',
      role: 'owner',
      run: async () => {
        const { list } = await open();
        return { ok: true, value: { items: list.map(({ hash: _secret, ...rest }) => rest) } };
      },
    }),
    defineOperation({
      name: 'token.revoke',
      summary: 'Makes a token invalid from now on. Answers whether there was such a token.',
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
