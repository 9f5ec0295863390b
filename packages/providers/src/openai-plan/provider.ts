import type { CallError, Provider, ProviderEvent } from '@loom/kernel';
import type { ApiDependencies } from '../api/api.ts';
import { createApiProvider } from '../api/api-provider.ts';
import { PlanError } from './plan-error.ts';
import type { PlanErrorCode } from './plan-error.ts';
import { planApi } from './plan-requests.ts';

export type PlanProviderOptions = Omit<ApiDependencies, 'key'> & {
  /** Returns a token that is valid now. Throws a `PlanError` if there is none. */
  token: () => Promise<string>;
};

/** Creates the provider of OpenAI's models whose requests a ChatGPT plan pays. */
export function createPlanProvider({ token, ...dependencies }: PlanProviderOptions): Provider {
  const provider = createApiProvider(planApi, { ...dependencies, key: () => token() });
  return {
    ...provider,
    async *stream(request, call): AsyncGenerator<ProviderEvent, void, void> {
      try {
        // Asked here for its reason; the request then asks again, and gets the same.
        await token();
      } catch (error) {
        if (!(error instanceof PlanError)) throw error;
        yield { type: 'call-start' };
        yield { type: 'call-error', error: { code: codes[error.code], message: error.message, final: true } };
        return;
      }
      for await (const event of provider.stream(request, call)) {
        yield event.type === 'call-error' ? { ...event, error: inWordsOfPlan(event.error) } : event;
      }
    },
  };
}

const codes: { readonly [Code in PlanErrorCode]: CallError['code'] } = {
  network: 'network',
  protocol: 'protocol',
  declined: 'auth',
  'logged-out': 'auth',
};

const usagePage = 'https://chatgpt.com/settings/usage';

function inWordsOfPlan(error: CallError): CallError {
  if (error.code === 'quota')
    return {
      ...error,
      message: `Your ChatGPT plan, or your limit for Loom, is used up. See ${usagePage}, or choose another model.`,
    };
  if (error.code === 'auth')
    return { ...error, message: `${error.message} The login with your ChatGPT plan may have ended: log in again.` };
  return error;
}
