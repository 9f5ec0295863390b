import { z } from 'zod';
import type { OneTimeSecrets } from '../access/one-time-secrets.ts';
import { identityFields } from '../access/tokens.ts';
import type { Grant, Identity, Tokens } from '../access/tokens.ts';
import type { WrongCodes } from '../access/wrong-codes.ts';
import { answerJson, answerOutcome } from '../answers/answer.ts';
import { fail, ProblemError, problemFor } from '../answers/problems.ts';
import { readJsonBody } from '../guard/body.ts';
import { grantOf, identityOf } from './route.ts';
import type { Route } from './route.ts';

/** The time that a browser stays signed in, in milliseconds: 30 days. */
const stay = 30 * 24 * 60 * 60 * 1000;

const signIn = z.strictObject({ code: z.string() });

/** The identity that a sign-in code lets in, and the token that asked for it, with which it ends. */
export interface CodeGrant {
  identity: Identity;
  parent?: string;
}

/** A grant of a code, where it is kept. */
export const codeGrantSchema: z.ZodType<CodeGrant> = z.strictObject({
  identity: z.strictObject(identityFields),
  parent: z.string().exactOptional(),
});

interface SignInParts {
  tokens: Tokens;
  codes: OneTimeSecrets<CodeGrant>;
  wrongCodes: WrongCodes;
  tickets: OneTimeSecrets<Grant>;
  now: () => number;
  /** The address that a browser opens. */
  address: () => string;
}

/** A code becomes a token, once; a token becomes a ticket for one WebSocket, which cannot send headers. */
export function signInRoutes({ tokens, codes, wrongCodes, tickets, now, address: own }: SignInParts): Route[] {
  const redeem = async (code: string, address: string): Promise<CodeGrant> => {
    // A right code is taken whatever else came from its address: behind a proxy all clients have the same one.
    const grant = await codes.redeem(code);
    if (grant?.parent !== undefined && tokens.endOf(grant.parent) === 0) await tokens.refresh();
    if (grant !== undefined && (grant.parent === undefined || tokens.endOf(grant.parent) > now())) return grant;
    const pause = wrongCodes.note(address);
    if (pause > 0) throw new ProblemError(problemFor('too-many-codes', pause));
    return fail('wrong-code');
  };
  return [
    {
      method: 'POST',
      path: '/auth/sign-in',
      access: 'open',
      async handle({ request, address }) {
        const { data } = signIn.safeParse(await readJsonBody(request));
        const grant = await redeem(data?.code ?? '', address);
        const { identity } = grant;
        const { token } = await tokens.create({ ...grant, lifetime: stay });
        return answerJson({ ok: true, value: { token, ...identity } });
      },
    },
    {
      method: 'POST',
      path: '/auth/code',
      access: 'token',
      async handle(visit) {
        const { identity, token } = grantOf(visit);
        const { role, roots } = identity;
        // As for token.create: a code is a token in the making.
        if (role !== 'owner' || roots !== undefined) {
          const needs = role === 'owner' ? 'all-roots' : 'owner';
          return answerOutcome({ ok: false, refusal: { reason: 'not-permitted', needs } });
        }
        const code = await codes.issue({ identity, parent: token });
        return answerJson({ ok: true, value: { code, link: `${own()}/#code=${code}` } });
      },
    },
    {
      method: 'POST',
      path: '/auth/ticket',
      access: 'token',
      handle: async (visit) => answerJson({ ok: true, value: { ticket: await tickets.issue(grantOf(visit)) } }),
    },
    {
      method: 'GET',
      path: '/auth/me',
      access: 'token',
      handle: (visit) => answerJson({ ok: true, value: identityOf(visit) }),
    },
  ];
}
