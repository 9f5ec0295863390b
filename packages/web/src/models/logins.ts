import { z } from 'zod';

/** A login that stands in for a key, without any secret. Only the fields that the page uses are read. */
const login = z.object({
  provider: z.string(),
  state: z.enum(['off', 'logged-out', 'waiting', 'logged-in']).catch('off'),
  setting: z.string(),
  account: z.string().optional(),
  plan: z.boolean().optional(),
  problem: z.string().optional(),
  remark: z.string(),
});
export type LoginInfo = z.infer<typeof login>;

const loginList = z.object({ items: z.array(login) });
const page = z.object({ url: z.url({ protocol: /^https?$/u }) });

/** The parts of the page that logins need. */
export interface LoginHost {
  ask(name: string, params: object): Promise<unknown>;
  models: { loadAll(): Promise<void> };
}

export async function listLogins(loom: LoginHost): Promise<LoginInfo[]> {
  return loginList.parse(await loom.ask('login.list', {})).items;
}

/** Switches a login on or off. Switched off it is forgotten, too. */
export async function allowLogin(loom: LoginHost, { provider, setting }: LoginInfo, isOn: boolean): Promise<void> {
  if (!isOn) await loom.ask('login.end', { provider });
  await loom.ask('setting.set', { key: setting, value: isOn });
  await loom.models.loadAll();
}

/** Begins a login; returns the page on which the person logs in. */
export async function startLogin(loom: LoginHost, { provider }: LoginInfo): Promise<string> {
  return page.parse(await loom.ask('login.start', { provider })).url;
}

/** Waits a while for a login to end, or completes it with the address that the browser was sent to. */
export async function finishLogin(loom: LoginHost, { provider }: LoginInfo, address?: string): Promise<LoginInfo> {
  const params = address === undefined ? { provider } : { provider, address };
  const found = login.parse(await loom.ask('login.finish', params));
  if (found.state === 'logged-in') await loom.models.loadAll();
  return found;
}

export async function cancelLogin(loom: LoginHost, { provider }: LoginInfo): Promise<void> {
  await loom.ask('login.cancel', { provider });
}

/** Logs out. Returns false if the service has not confirmed that the tokens are of no use. */
export async function endLogin(loom: LoginHost, { provider }: LoginInfo): Promise<boolean> {
  const { revoked } = z.object({ revoked: z.boolean() }).parse(await loom.ask('login.end', { provider }));
  await loom.models.loadAll();
  return revoked;
}
