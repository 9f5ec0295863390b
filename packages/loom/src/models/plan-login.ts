import { join } from 'node:path';
import { nodeDisk, readIfThere, replaceFile, withLock } from '@loom/data-folder/files';
import type { Clock } from '@loom/kernel';
import type { PlanAccount, PlanKeeper, PlanRecord } from '@loom/providers/openai-plan';
import type { Config } from '../config/schema.ts';
import { LoomError } from '../command-line/failure.ts';

/** The provider whose requests a ChatGPT plan pays. */
export const planProvider = 'chatgpt';
/** The setting that allows it. */
export const planSetting = `providers.${planProvider}.plan`;
/** The API that the tokens are for, unless the settings name another one. */
export const planAddress = 'https://api.openai.com/v1';
/** Said at every door: honest about what is not known. */
export const planRemark =
  "Written from OpenAI's public documentation and tried against an emulator of it, never against the live service.";

/** The name of the file in the data folder. It holds tokens, and is for its owner alone. */
export const planFile = 'chatgpt-login.json';

/** A person's login with a ChatGPT plan, in the data folder. Its code is loaded when it is first needed. */
export interface PlanLogin {
  /** Returns true if the settings allow it. */
  isAllowed(config: Config): boolean;
  /** The providers with a login that can be used: none or this one. */
  loggedIn(config: Config): Promise<ReadonlySet<string>>;
  account(): Promise<PlanAccount>;
}

export interface PlanLoginOptions {
  dataDir: string;
  clock: Clock;
  config: () => Promise<Config>;
}

export function createPlanLogin({ dataDir, clock, config }: PlanLoginOptions): PlanLogin {
  let opened: Promise<PlanAccount> | undefined;
  const isAllowed = ({ providers }: Config): boolean => settingsOf(providers)?.plan === true;
  const account = (): Promise<PlanAccount> =>
    (opened ??= import('@loom/providers/openai-plan').then(
      ({ PlanAccount: Account, planRecord, usualIssuer }) =>
        new Account({
          clock,
          keeper: fileKeeper(dataDir, (content) => planRecord.safeParse(content).data),
          where: async () => {
            const { issuer = usualIssuer, baseURL = planAddress } = settingsOf((await config()).providers) ?? {};
            return { issuer, api: baseURL };
          },
        }),
    ));
  return {
    isAllowed,
    account,
    async loggedIn(given) {
      if (!isAllowed(given)) return new Set();
      const { state, plan } = await (await account()).state();
      // Whoever logs in anew still has the last login.
      const isUsable = state === 'logged-in' ? plan === true : state === 'waiting';
      return new Set(isUsable ? [planProvider] : []);
    },
  };
}

/** Returns the tokens of a login in a data folder, which must not be shown or kept elsewhere. */
export async function planSecrets(dataDir: string): Promise<string[]> {
  const content = await readIfThere(nodeDisk, join(dataDir, planFile));
  if (content === undefined) return [];
  const { planRecord } = await import('@loom/providers/openai-plan');
  const { access, refresh, id } = parsed(content, (value) => planRecord.safeParse(value).data)?.tokens ?? {};
  return [access, refresh, id].filter((secret) => secret !== undefined);
}

/** A damaged record is none: logging in anew replaces it. */
function parsed(
  content: Uint8Array | undefined,
  parse: (value: unknown) => PlanRecord | undefined,
): PlanRecord | undefined {
  try {
    return content === undefined ? undefined : parse(JSON.parse(new TextDecoder().decode(content)));
  } catch {
    return undefined;
  }
}

function settingsOf(providers: Config['providers']): Config['providers'][string] | undefined {
  return Object.hasOwn(providers, planProvider) ? providers[planProvider] : undefined;
}

/** A renewal asks the network twice while it holds the lock. */
const patience = 60_000;

function fileKeeper(dataDir: string, parse: (content: unknown) => PlanRecord | undefined): PlanKeeper {
  const path = join(dataDir, planFile);
  const readBytes = (): Promise<Uint8Array | undefined> => readIfThere(nodeDisk, path);
  const recordIn = (content: Uint8Array | undefined): PlanRecord | undefined => parsed(content, parse);
  return {
    read: async () => recordIn(await readBytes()),
    change: (work) =>
      withLock(`${path}.lock`, patience, async () => {
        const before = await readBytes();
        const record = await work(recordIn(before));
        const content = new TextEncoder().encode(`${JSON.stringify(record, undefined, 2)}\n`);
        if (before !== undefined && Buffer.compare(before, content) === 0) return record;
        const replaced = await replaceFile(nodeDisk, { path, content, expected: before, mode: 0o600 });
        if (!replaced.ok)
          throw new LoomError('login-changed', `${path} was changed at the same moment`, { advice: 'Try again.' });
        return record;
      }),
  };
}
