import { z } from 'zod';
import type { OneTimeSecrets } from '../access/one-time-secrets.ts';
import type { Grant, Identity, Tokens } from '../access/tokens.ts';
import { answerJson, answerOutcome } from '../answers/answer.ts';
import { fail } from '../answers/problems.ts';
import { readJsonBody } from '../guard/body.ts';
import { grantOf, identityOf } from './route.ts';
import type { Route } from './route.ts';

/** How long a browser stays signed in, in milliseconds: 30 days. */
const stay = 30 * 24 * 60 * 60 * 1000;

const signIn = z.strictObject({ code: z.string() });

interface SignInParts {
  tokens: Tokens;
  codes: OneTimeSecrets<Identity>;
  tickets: OneTimeSecrets<Grant>;
}

/** A code becomes a token, once; a token becomes a ticket for one WebSocket, which cannot send headers. */
export function signInRoutes({ tokens, codes, tickets }: SignInParts): Route[] {
  return [
    {
      method: 'POST',
      path: '/auth/sign-in',
      access: 'open',
      async handle({ request }) {
        const { data } = signIn.safeParse(await readJsonBody(request));
        const identity = codes.redeem(data?.code ?? '') ?? fail('wrong-code');
        const { token } = await tokens.create({ identity, lifetime: stay });
        return answerJson({ ok: true, value: { token, ...identity } });
      },
    },
    {
      method: 'POST',
      path: '/auth/code',
      access: 'token',
      handle(visit) {
        const identity = identityOf(visit);
        // The token that a code becomes outlives the one that it was asked for with.
        if (identity.role !== 'owner') {
          return answerOutcome({ ok: false, refusal: { reason: 'not-permitted', needs: 'owner' } });
        }
        return answerJson({ ok: true, value: { code: codes.issue(identity) } });
      },
    },
    {
      method: 'POST',
      path: '/auth/ticket',
      access: 'token',
      handle: (visit) => answerJson({ ok: true, value: { ticket: tickets.issue(grantOf(visit)) } }),
    },
    {
      method: 'GET',
      path: '/auth/me',
      access: 'token',
      handle: (visit) => answerJson({ ok: true, value: identityOf(visit) }),
    },
  ];
}
