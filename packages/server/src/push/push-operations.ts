import { defineOperation, refuse, refuseLimited } from '@loom/kernel';
import type { Refused } from '@loom/kernel';
import { z } from 'zod';
import type { Tokens } from '../access/tokens.ts';
import type { Pushes } from './pushes.ts';
import { isPoint } from './sealed-message.ts';
import type { Subscriptions } from './subscriptions.ts';

const listed = z.strictObject({
  id: z.string(),
  service: z.string().describe('The host of its push service.'),
  agent: z.string(),
  created_at: z.int().describe('Milliseconds since 1970.'),
});

/** Operations about browsers that get notifications through their push service. */
export function pushOperations(open: () => Promise<Tokens>) {
  return [
    defineOperation({
      name: 'push.key',
      summary:
        'Returns the key that a browser subscribes to Web Push with. It is made the first time and kept with the data folder.',
      params: () => z.strictObject({}),
      result: () => z.strictObject({ public_key: z.string().describe('A point on P-256, in base64url.') }),
      effect: 'changes',
      run: async () => {
        const { push } = await open();
        const found = usable(push);
        if ('refusal' in found) return found;
        return { ok: true, value: { public_key: (await found.keys()).public } };
      },
    }),
    defineOperation({
      name: 'push.subscribe',
      summary:
        'Tells a browser through its push service when a turn needs a person or ends, without a word of what was said, until it is removed or the token that asks for it ends. A browser that subscribes again is listed once.',
      params: () =>
        z.strictObject({
          endpoint: z.string().max(2048).describe('The https address at the push service, as the browser got it.'),
          p256dh: z
            .string()
            .regex(/^[\w-]{87}=?$/u, 'must be a point on P-256 in base64url')
            .describe('The public key of the browser.'),
          auth: z
            .string()
            .regex(/^[\w-]{22}(?:==)?$/u, 'must be 16 bytes in base64url')
            .describe('The secret that it shares.'),
        }),
      result: () => z.strictObject({ id: z.string() }),
      effect: 'changes',
      run: async (_engine, { agent, credential }, { endpoint, p256dh, auth }) => {
        const tokens = await open();
        const found = usable(tokens.push);
        if ('refusal' in found) return found;
        const problem = await tokens.push.problemOf(endpoint);
        if (problem !== undefined) return refuseParameter('endpoint', problem);
        if (!isPoint(p256dh)) return refuseParameter('p256dh', 'is no point on P-256');
        const parent = credential === undefined ? undefined : tokens.parentOf(credential);
        const made = { endpoint, p256dh, auth, agent, ...(parent === undefined ? {} : { parent }) };
        return { ok: true, value: { id: await found.add(made) } };
      },
    }),
    defineOperation({
      name: 'push.list',
      summary: 'Lists the browsers that get notifications, and says whether this server can send any.',
      params: () => z.strictObject({}),
      result: () =>
        z.strictObject({
          possible: z.boolean(),
          why: z.string().exactOptional().describe('Why it is not possible.'),
          items: z.array(listed),
        }),
      effect: 'reads',
      role: 'writer',
      run: async (_engine, caller) => {
        const denied = refuseLimited(caller, 'push.list');
        if (denied !== undefined) return denied;
        const { push } = await open();
        const why = push.hindrance;
        const items = ((await push.subscriptions?.list()) ?? []).map(({ id, endpoint, agent, created_at }) => ({
          id,
          service: new URL(endpoint).host,
          agent,
          created_at,
        }));
        return { ok: true, value: { possible: why === undefined, ...(why === undefined ? {} : { why }), items } };
      },
    }),
    defineOperation({
      name: 'push.remove',
      summary: 'Stops telling a browser of turns. Returns whether it was listed.',
      params: () => z.strictObject({ id: z.string().describe('The id of the browser, from push.list.') }),
      result: () => z.strictObject({ removed: z.boolean() }),
      effect: 'changes',
      run: async (_engine, _caller, { id }) => {
        const { push } = await open();
        return { ok: true, value: { removed: (await push.subscriptions?.remove(id)) === true } };
      },
    }),
    defineOperation({
      name: 'push.test',
      summary: 'Sends a test notification to a browser, and returns what its push service answered.',
      params: () => z.strictObject({ id: z.string().describe('The id of the browser, from push.list.') }),
      result: () =>
        z.strictObject({
          delivered: z
            .boolean()
            .describe('True if the push service took it. False removes a browser that it no longer knows.'),
          status: z.int().exactOptional().describe('The status of its answer; absent if it did not answer.'),
        }),
      effect: 'changes',
      run: async (_engine, _caller, { id }) => {
        const { push } = await open();
        const found = usable(push);
        if ('refusal' in found) return found;
        const known = (await found.list()).find((one) => one.id === id);
        if (known === undefined) return refuseParameter('id', 'names no browser of push.list');
        try {
          const status = await push.send(known, { what: 'test', path: '/settings' });
          return { ok: true, value: { delivered: status >= 200 && status < 300, status } };
        } catch {
          return { ok: true, value: { delivered: false } };
        }
      },
    }),
  ] as const;
}

function usable(push: Pushes): Subscriptions | Refused {
  const { hindrance, subscriptions } = push;
  if (hindrance === undefined && subscriptions !== undefined) return subscriptions;
  return refuse({
    reason: 'invalid-params',
    problems: [{ path: [], problem: `Notifications cannot be pushed from here: ${hindrance}` }],
  });
}

function refuseParameter(parameter: string, problem: string): Refused {
  return refuse({ reason: 'invalid-params', problems: [{ path: [parameter], problem }] });
}
