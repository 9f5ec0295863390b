import type { Loom } from '../app/loom.ts';
import { keyCheck, savedKey } from './model-answers.ts';
import type { KeyCheck } from './model-answers.ts';

/** Gives a provider a key; the provider is asked at once whether it takes it. One that it does not take is not kept. */
export async function setKey(loom: Loom, provider: string, key: string): Promise<KeyCheck> {
  const { check } = savedKey.parse(await loom.ask('provider.set_key', { provider, key: key.trim() }));
  await loom.models.refresh();
  return check;
}

export async function checkKey(loom: Loom, provider: string): Promise<KeyCheck> {
  return keyCheck.parse(await loom.ask('provider.check', { provider }));
}

export async function removeKey(loom: Loom, provider: string): Promise<void> {
  await loom.ask('setting.unset', { key: `providers.${provider}.apiKey` });
  await loom.models.refresh();
}
