import { z } from 'zod';
import type { Outcome } from '../../refusal.ts';
import { once } from '../../once.ts';
import { defineOperation } from '../operation.ts';
import { refuseLimited } from '../permission.ts';

/**
 * Rows about logins that stand in for a key: a person logs in with the provider, in the browser, and a plan pays. The port that does it is handed in.
 */

const loginResult = once(() =>
  z.strictObject({
    provider: z.string().describe('The provider that the login is for, such as chatgpt.'),
    state: z
      .enum(['off', 'logged-out', 'waiting', 'logged-in'])
      .describe('off: the setting that allows it is not set. waiting: a login has begun in the browser.'),
    setting: z.string().describe('The setting that allows it.'),
    account: z.string().exactOptional().describe('The email address of the account.'),
    plan: z.boolean().exactOptional().describe('Whether the person has allowed the use of the plan.'),
    until: z.iso.datetime().exactOptional().describe('While waiting: when the attempt ends.'),
    problem: z.string().exactOptional().describe('Why the last attempt, or the last renewal, failed.'),
    remark: z.string().describe('What to know about it before using it.'),
  }),
);
export type LoginAnswer = z.infer<ReturnType<typeof loginResult>>;

const page = once(() =>
  z.strictObject({
    url: z.string().describe('The page on which the person logs in. It is for this login alone.'),
    until: z.iso.datetime().describe('When the attempt ends.'),
  }),
);

/** The port to logins. */
export interface LoginPort {
  list(): Promise<Outcome<LoginAnswer[]>>;
  start(provider: string): Promise<Outcome<z.infer<ReturnType<typeof page>>>>;
  /** Brings the address that the browser was sent to, if there is one; else waits a while for the login to end. */
  finish(provider: string, address: string | undefined): Promise<Outcome<LoginAnswer>>;
  cancel(provider: string): Promise<Outcome<{ cancelled: boolean }>>;
  end(provider: string): Promise<Outcome<{ revoked: boolean }>>;
}

const provider = z.string().min(1).max(100).describe('The name of a provider, from login.list.');

export function loginOperations(port: LoginPort) {
  return [
    defineOperation({
      name: 'login.list',
      summary: 'Lists the logins that can stand in for a key, with their states. No token is ever returned.',
      params: () => z.strictObject({}),
      result: () => z.strictObject({ items: z.array(loginResult()) }),
      refusals: ['settings-failed'],
      effect: 'reads',
      role: 'owner',
      run: async (_engine, caller) => {
        const denied = refuseLimited(caller, 'login.list');
        if (denied !== undefined) return denied;
        const found = await port.list();
        return found.ok ? { ok: true, value: { items: found.value } } : found;
      },
    }),
    defineOperation({
      name: 'login.start',
      summary:
        'Begins a login and returns the page on which the person logs in, in a browser on the machine that Loom runs on. An attempt that still waits is ended.',
      params: () => z.strictObject({ provider }),
      result: () => page(),
      refusals: ['unknown-provider', 'settings-failed', 'login-failed'],
      effect: 'changes',
      role: 'owner',
      run: (_engine, _caller, params) => port.start(params.provider),
    }),
    defineOperation({
      name: 'login.finish',
      summary:
        'Waits up to 25 seconds for a login to end, and returns its state. With the address that the browser was sent to at the end, completes it: that is needed where the browser runs on another machine.',
      params: () =>
        z.strictObject({
          provider,
          address: z
            .string()
            .max(10_000)
            .exactOptional()
            .describe('The whole address, beginning with http://127.0.0.1.'),
        }),
      result: () => loginResult(),
      refusals: ['unknown-provider', 'settings-failed', 'login-failed'],
      effect: 'changes',
      role: 'owner',
      run: (_engine, _caller, params) => port.finish(params.provider, params.address),
    }),
    defineOperation({
      name: 'login.cancel',
      summary: 'Ends a login that waits for the browser. A login that is complete stays.',
      params: () => z.strictObject({ provider }),
      result: () => z.strictObject({ cancelled: z.boolean() }),
      refusals: ['unknown-provider', 'settings-failed'],
      effect: 'changes',
      role: 'owner',
      run: (_engine, _caller, params) => port.cancel(params.provider),
    }),
    defineOperation({
      name: 'login.end',
      summary: 'Logs out: forgets the tokens and asks their service to take them back.',
      params: () => z.strictObject({ provider }),
      result: () =>
        z.strictObject({
          revoked: z.boolean().describe('false: the service has not confirmed that they are of no use.'),
        }),
      refusals: ['unknown-provider', 'settings-failed'],
      effect: 'changes',
      role: 'owner',
      run: (_engine, _caller, params) => port.end(params.provider),
    }),
  ] as const;
}
