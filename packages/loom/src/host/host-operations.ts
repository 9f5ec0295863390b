import { dataOperations, modelOperations, settingOperations } from '@loom/kernel';
import type { ModelPort, SettingPort } from '@loom/kernel';
import type { Models } from '../models/models.ts';

/** Operations about what Loom runs in: models, settings, the data folder. What does the work is loaded by the first that asks for it. */
export function hostOperations(models: Models) {
  return [
    ...modelOperations(lateModelPort(models)),
    ...settingOperations(lateSettingPort(models)),
    ...dataOperations({ sizes: () => measureSizes(models) }),
  ] as const;
}

function lateModelPort(models: Models): ModelPort {
  const port = async (): Promise<ModelPort> => (await import('./model-port.ts')).modelPort(models);
  return {
    models: async () => (await port()).models(),
    providers: async () => (await port()).providers(),
    presets: async () => (await port()).presets(),
    check: async (provider, key) => (await port()).check(provider, key),
    setKey: async (provider, key) => (await port()).setKey(provider, key),
  };
}

function lateSettingPort(models: Models): SettingPort {
  const port = async (): Promise<SettingPort> => (await import('./setting-port.ts')).settingPort(models);
  return {
    list: async () => (await port()).list(),
    set: async (key, value, caller) => (await port()).set(key, value, caller),
    unset: async (key, caller) => (await port()).unset(key, caller),
  };
}

async function measureSizes({ source }: Models) {
  const { measureUsage, usageParts } = await import('@loom/data-folder/upkeep');
  const usage = await measureUsage(source.dataDir);
  return usageParts.map((part) => ({ part, bytes: usage[part] }));
}
