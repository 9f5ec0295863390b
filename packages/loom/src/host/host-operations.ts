import { measureUsage, usageParts } from '@loom/data-folder/upkeep';
import { dataOperations, modelOperations, settingOperations } from '@loom/kernel';
import type { Models } from '../models/models.ts';
import { modelPort } from './model-port.ts';
import { settingPort } from './setting-port.ts';

/** Operations about what Loom runs in: models, settings, the data folder. */
export function hostOperations(models: Models) {
  const { dataDir } = models.source;
  const sizes = async () => {
    const usage = await measureUsage(dataDir);
    return usageParts.map((part) => ({ part, bytes: usage[part] }));
  };
  return [
    ...modelOperations(modelPort(models)),
    ...settingOperations(settingPort(models)),
    ...dataOperations({ sizes }),
  ] as const;
}
