import type { LoginAnswer, LoginPort, Outcome } from '@loom/kernel';
import { refuse } from '@loom/kernel';
import { LoomError } from '../command-line/failure.ts';
import type { Models } from '../models/models.ts';
import { planProvider, planRemark, planSetting } from '../models/plan-login.ts';
import { withSettings } from './settings-refusal.ts';

/** Long enough to save requests, short enough for every proxy. */
const longestWait = 25_000;

/** Returns the port for the operations about logins. There is one: that with a ChatGPT plan. */
export function loginPort(models: Models): LoginPort {
  const { login } = models;
  const { dataDir } = models.source;
  const state = async (): Promise<LoginAnswer> => {
    const isAllowed = login.isAllowed(await models.config());
    const facts = { provider: planProvider, setting: planSetting, remark: planRemark };
    if (!isAllowed) return { ...facts, state: 'off' };
    const { until, ...known } = await (await login.account()).state();
    return { ...facts, ...known, ...(until === undefined ? {} : { until: new Date(until).toISOString() }) };
  };
  /** Runs work for the login that is named. Failures of the login are refusals in its own words. */
  const about = <T>(provider: string, work: () => Promise<T>): Promise<Outcome<T>> =>
    withSettings(dataDir, async () => {
      if (provider !== planProvider) return refuse({ reason: 'unknown-provider', provider, providers: [planProvider] });
      const { PlanError } = await import('@loom/providers/openai-plan');
      try {
        return { ok: true, value: await work() };
      } catch (error) {
        if (!(error instanceof PlanError) && !(error instanceof LoomError)) throw error;
        return refuse({ reason: 'login-failed', problem: error.message });
      }
    });
  const allowed = async (): Promise<void> => {
    if (login.isAllowed(await models.config())) return;
    throw new LoomError('login-off', `${planSetting} is not set. Set it to true to log in with a ChatGPT plan.`);
  };
  return {
    list: () => withSettings(dataDir, async () => ({ ok: true, value: [await state()] })),
    start: (provider) =>
      about(provider, async () => {
        await allowed();
        const { url, until } = await (await login.account()).begin();
        return { url, until: new Date(until).toISOString() };
      }),
    finish: (provider, address) =>
      about(provider, async () => {
        await allowed();
        const account = await login.account();
        if (address === undefined) await account.settled(longestWait);
        else await account.bring(address);
        await models.load();
        return state();
      }),
    cancel: (provider) => about(provider, async () => ({ cancelled: (await login.account()).cancel() })),
    end: (provider) => about(provider, async () => (await login.account()).end()),
  };
}
