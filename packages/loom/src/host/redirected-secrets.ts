import { basename } from 'node:path';
import type { Refused } from '@loom/kernel';
import { formatKey, type ConfigEntry, type SettingPath } from '../config/index.ts';
import { MAIN_FILE } from '../config/layers.ts';
import type { Config } from '../config/schema.ts';
import { setUpProviders } from '../models/provider-setup.ts';
import { refuseParameter } from './settings-refusal.ts';

/** The settings that decide where a provider's requests, and the key in them, go. */
const directing: ReadonlySet<string | undefined> = new Set(['baseURL', 'kind']);

interface Known {
  config: Config;
  entries: readonly ConfigEntry[];
}

/**
 * Finds the secrets of a provider that a change would send to another address: a stolen token must not find out a key by naming an address
 * of the thief. Those in config.toml go with the old address; others cannot, so the change is refused. `undefined` takes the setting out.
 */
export function redirectedSecrets(
  { config, entries }: Known,
  path: SettingPath,
  value: unknown,
): readonly SettingPath[] | Refused {
  const [first, name, field] = path;
  if (first !== 'providers' || name === undefined || path.length !== 3 || !directing.has(field)) return [];
  const isOverruled = entries.some(
    (entry) => formatKey(entry.path) === formatKey(path) && entry.origin.type === 'environment',
  );
  const present = Object.hasOwn(config.providers, name) ? config.providers[name] : undefined;
  const { [field ?? '']: _old, ...rest }: Record<string, unknown> = present ?? {};
  const changed = {
    ...config,
    providers: { ...config.providers, [name]: value === undefined ? rest : { ...rest, [field ?? '']: value } },
  };
  if (isOverruled || destination(config, name) === destination(changed, name)) return [];
  if (present?.key_command !== undefined) return refuse(name, 'is printed by a program');
  const secrets = entries.filter(
    ({ path: [top, provider, kind] }) =>
      top === 'providers' && provider === name && (kind === 'apiKey' || kind === 'headers'),
  );
  for (const { origin } of secrets) {
    if (origin.type === 'environment') return refuse(name, `comes from the environment (${origin.variable})`);
    if (origin.type === 'file' && basename(origin.file) !== MAIN_FILE)
      return refuse(name, `is in ${basename(origin.file)}`);
  }
  return secrets.map((entry) => entry.path);
}

function destination(config: Config, name: string): string | undefined {
  const setup = setUpProviders(config).find((known) => known.name === name);
  // Without an address each kind has its vendor's.
  return setup && `${setup.kind === 'openai-chat' ? 'openai' : setup.kind} ${setup.baseURL ?? ''}`;
}

function refuse(provider: string, origin: string): Refused {
  return refuseParameter(
    'key',
    `says where ${provider} is reached, and its key ${origin}: it would be sent to another address. Change this at the command line`,
  );
}
