import type { Caller, Refused, SettingAnswer, SettingPort, SettingValue } from '@loom/kernel';
import { shown } from '../commands/config/config-view.ts';
import { overruled } from '../commands/config/config-set.ts';
import { tightened, writeFailure } from '../commands/config/config-write.ts';
import { isKnown, unknownKey } from '../commands/config/unknown-key.ts';
import { LoomError } from '../command-line/failure.ts';
import {
  findSetting,
  formatKey,
  parseKeyText,
  parseValueText,
  readConfig,
  setConfigValue,
  SETTINGS,
  unsetConfigValue,
  type ConfigEntry,
  type SettingPath,
  type WriteResult,
} from '../config/index.ts';
import { KIND_LABELS } from '../config/settings.ts';
import type { Models } from '../models/models.ts';
import { redirectedSecrets } from './redirected-secrets.ts';
import { refuseParameter, withSettings } from './settings-refusal.ts';

/** Returns the port for the operations about settings, which does the same as `loom config`. */
export function settingPort(models: Models): SettingPort {
  const { dataDir, env } = models.source;
  /** The secrets that a change over the network takes out with it, or why it may not be made. */
  const redirected = async (caller: Caller, path: SettingPath, value?: SettingValue) =>
    isLocal(caller) ? [] : redirectedSecrets(await readConfig({ dataDir, env }), path, value);
  const written = async (path: SettingPath, result: WriteResult, removed: readonly SettingPath[]) => {
    const key = formatKey(path);
    if (!result.ok && result.refusal.reason === 'invalid-value')
      return refuseParameter('value', `is not right: ${result.refusal.message}`);
    if (!result.ok) throw writeFailure(key, dataDir, result.refusal);
    // A new provider is available from now on. Other problems with the settings do not concern this change.
    await models.load().catch(messageOf);
    return {
      ok: true as const,
      value: {
        changed: result.changed,
        notes: [...tightened(result), ...overruled(path, env), ...removed.map(describeRemoved)],
      },
    };
  };
  return {
    list: () =>
      withSettings(dataDir, async () => {
        const { entries } = await readConfig({ dataDir, env });
        const set = new Set(entries.map(({ path }) => formatKey(path)));
        const others = SETTINGS.filter(
          ({ path, isKept }) => isKept !== true && !path.includes('*') && !set.has(formatKey(path)),
        );
        const items = [...entries.map(describeEntry), ...others.map(({ path }) => describeUnset(path))];
        return { ok: true, value: items.sort((one, other) => (one.key < other.key ? -1 : 1)) };
      }),
    set: (key, value, caller) =>
      withSettings(dataDir, async () => {
        const read = readKey(key, caller);
        if ('ok' in read) return read;
        const { path } = read;
        const literal = readLiteral(path, value);
        if ('ok' in literal) return literal;
        const secrets = await redirected(caller, path, literal.value);
        if ('ok' in secrets) return secrets;
        return written(path, await setConfigValue({ dataDir }, path, literal.value, secrets), secrets);
      }),
    unset: (key, caller) =>
      withSettings(dataDir, async () => {
        const read = readKey(key, caller);
        if ('ok' in read) return read;
        const { path } = read;
        const secrets = await redirected(caller, path);
        if ('ok' in secrets) return secrets;
        return written(path, await unsetConfigValue({ dataDir }, path, ...secrets), secrets);
      }),
  };
}

/** The setting of a key, or why it cannot be set by this caller. */
function readKey(key: string, caller: Caller): { path: SettingPath } | Refused {
  try {
    const path = parseKeyText(key);
    if (!isKnown(path) || findSetting(path) === undefined) {
      const { message, advice = '' } = unknownKey(path);
      return refuseParameter('key', `is not one that can be set: ${message}. ${advice}`.trimEnd());
    }
    // The reach of a stolen token ends here: it starts no program.
    if (path.at(-1) === 'issuer' && !isLocal(caller))
      return refuseParameter('key', 'says where people log in, which can only be set at the command line');
    const startsProgram = path[0] === 'mcp_servers' || path.at(-1) === 'key_command';
    if (startsProgram && !isLocal(caller))
      return refuseParameter('key', 'says which program is started, which can only be set at the command line');
    return { path };
  } catch (error) {
    return refuseParameter('key', messageOf(error));
  }
}

/** The caller has the machine, and with it every key that is on it. */
function isLocal({ door }: Caller): boolean {
  return door === 'command' || door === 'library';
}

function describeRemoved(path: SettingPath): string {
  return `${formatKey(path)} was removed: it was given for the address before. Set it again if the new address is right.`;
}

/** A value as it is written. Texts are read as at the command line, where numbers may have underscores. */
function readLiteral(path: SettingPath, value: SettingValue): { value: SettingValue } | Refused {
  const setting = findSetting(path);
  if (setting === undefined || typeof value !== 'string') return { value };
  try {
    const read = parseValueText(setting, path, value);
    return { value: typeof read === 'object' ? [...read] : read };
  } catch (error) {
    return refuseParameter('value', messageOf(error));
  }
}

/** Returns the message of a failure for a person; rethrows a defect. */
function messageOf(error: unknown): string {
  if (error instanceof LoomError) return error.message;
  throw error;
}

function describeEntry(entry: ConfigEntry): SettingAnswer {
  const { path, origin, isSecret } = entry;
  const facts = { key: formatKey(path), ...aboutSetting(path), origin: origin.type, secret: isSecret };
  return isSecret ? facts : { ...facts, value: shown(entry) };
}

function describeUnset(path: SettingPath): SettingAnswer {
  return { key: formatKey(path), ...aboutSetting(path), origin: 'none', secret: false };
}

function aboutSetting(path: SettingPath): Pick<SettingAnswer, 'about' | 'takes'> {
  const setting = findSetting(path);
  return setting === undefined ? {} : { about: setting.summary, takes: KIND_LABELS[setting.kind] };
}
