import {
  dataOperations,
  exportOperations,
  importOperations,
  loginOperations,
  modelOperations,
  promptOperations,
  settingOperations,
} from '@loom/kernel';
import type { DataPort, ExportPort, ImportPort, LoginPort, ModelPort, PromptPort, SettingPort } from '@loom/kernel';
import type { Models } from '../models/models.ts';
import { createSortableIds } from '../runtime/sortable-ids.ts';
import { warn } from '../runtime/warn.ts';

/** The differences where many machines serve one store. */
export interface SharedHost {
  /** Measures the store instead of the data folder. */
  sizes: DataPort['sizes'];
}

/** The operations about Loom's environment: models, settings, the data folder. Their code is loaded by the first call. */
export function hostOperations(models: Models, shared?: SharedHost) {
  const imports = lateImportPort(models);
  return [
    ...modelOperations(lateModelPort(models)),
    ...loginOperations(lateLoginPort(models)),
    ...settingOperations(lateSettingPort(models)),
    ...promptOperations(latePromptPort(models)),
    ...dataOperations(shared ?? { sizes: () => measureSizes(models) }),
    // Whose histories were found would be chance.
    ...importOperations(shared === undefined ? imports : { ...imports, discover: () => Promise.resolve([]) }),
    ...exportOperations({
      create: async (...order) => (await loadExportPort(models)).create(...order),
      archive: async (...order) => (await loadExportPort(models)).archive(...order),
    }),
  ] as const;
}

function lateModelPort(models: Models): ModelPort {
  const port = async (): Promise<ModelPort> => (await import('./model-port.ts')).modelPort(models);
  return {
    models: async (reach) => (await port()).models(reach),
    providers: async (reach) => (await port()).providers(reach),
    presets: async () => (await port()).presets(),
    check: async (provider, key) => (await port()).check(provider, key),
    setKey: async (provider, key) => (await port()).setKey(provider, key),
  };
}

function lateLoginPort(models: Models): LoginPort {
  const port = async (): Promise<LoginPort> => (await import('./login-port.ts')).loginPort(models);
  return {
    list: async () => (await port()).list(),
    start: async (provider) => (await port()).start(provider),
    finish: async (provider, address) => (await port()).finish(provider, address),
    cancel: async (provider) => (await port()).cancel(provider),
    end: async (provider) => (await port()).end(provider),
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

function latePromptPort({ source: { env } }: Models): PromptPort {
  return {
    files: async (directory) => {
      const { promptFiles } = await import('../prompts/prompt-files.ts');
      return promptFiles(env['HOME'] ?? env['USERPROFILE'] ?? '').files(directory);
    },
  };
}

/** Makes one import port for each data folder: files must not be followed twice. */
function lateImportPort({ source: { env, dataDir } }: Models): ImportPort {
  let loaded: Promise<ImportPort> | undefined;
  let ready: ImportPort | undefined;
  const port = (): Promise<ImportPort> => (loaded ??= loadImportPort(env, dataDir).then((port) => (ready = port)));
  return {
    discover: async (engine) => (await port()).discover(engine),
    prepare: async (order) => (await port()).prepare(order),
    isFollowing: () => ready?.isFollowing() === true,
    remarks: () => ready?.remarks() ?? [],
    follow: async (engine, on, sources) => (await port()).follow(engine, on, sources),
  };
}

async function loadImportPort(env: Models['source']['env'], dataDir: string): Promise<ImportPort> {
  const { createImportPort } = await import('@loom/exchange/importing');
  const { legacyLoomFormat } = await import('./legacy-loom-format.ts');
  const { uploadFolder } = await import('./upload-folder.ts');
  const { emptyFileStore } = await import('./empty-file-store.ts');
  const { nodeDisk } = await import('@loom/data-folder/files');
  const ids = createSortableIds();
  return createImportPort({
    home: { home: env['HOME'] ?? env['USERPROFILE'] ?? '', env },
    uploads: uploadFolder(dataDir),
    newId: () => ids.next(),
    failed: warn,
    emptyFiles: emptyFileStore(nodeDisk, dataDir),
    formats: [legacyLoomFormat(dataDir)],
  });
}

async function loadExportPort({ source: { env } }: Models): Promise<ExportPort> {
  const { createExportPort } = await import('@loom/exchange/exporting');
  const ids = createSortableIds();
  return createExportPort({ newId: () => ids.next(), directory: env['HOME'] ?? process.cwd() });
}

async function measureSizes({ source }: Models) {
  const { measureUsage, usageParts } = await import('@loom/data-folder/upkeep');
  const usage = await measureUsage(source.dataDir);
  return usageParts.map((part) => ({ part, bytes: usage[part] }));
}
