import { z } from 'zod';
import { cleanString } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { nearest } from '@loom/blocks/nearest-word';
import { readRootSettings } from '../../root-settings.ts';
import type { RootConfig } from '../../op.ts';
import { refuse, refuseParams } from '../../refusal.ts';
import type { Outcome, Refused } from '../../refusal.ts';
import type { Request } from '../../request.ts';
import type { LoomEngine } from '../calling/engine.ts';

/** The settings of a project: what conversations that begin in it inherit. */
export const projectConfig = z.strictObject({
  model: cleanString
    .min(1)
    .max(300)
    .exactOptional()
    .describe('The model that answers where none is chosen, as <provider>/<model>.'),
  instructions: z
    .boolean()
    .exactOptional()
    .describe('Whether conversations show models the AGENTS.md or CLAUDE.md of their folder. Default: true.'),
});
export type ProjectConfig = z.infer<typeof projectConfig>;

const knownKeys = Object.keys(projectConfig.shape);
/** In the home of a project each setting is an entry, so that two people who change different ones keep both. */
const prefix = 'settings/';

/** Reads the settings of a project; what an older or newer version left there is passed over. */
export async function readProjectConfig({ homes }: Pick<LoomEngine, 'homes'>, project: string): Promise<ProjectConfig> {
  if (project === '') return {};
  const entries = await homes.list({ project }, prefix);
  const kept = new Map(entries.map(({ key, value }) => [key.slice(prefix.length), value['value']]));
  const { model, instructions } = projectConfig.shape;
  const ownModel = model.safeParse(kept.get('model')).data;
  const own = instructions.safeParse(kept.get('instructions')).data;
  return {
    ...(ownModel === undefined ? {} : { model: ownModel }),
    ...(own === undefined ? {} : { instructions: own }),
  };
}

/** Changes the settings of a project: omitted keys stay as they are, null removes one. */
export async function configureProject(
  engine: Pick<LoomEngine, 'homes'>,
  request: Request,
  project: string,
  changes: PlainObject,
): Promise<Outcome<ProjectConfig>> {
  const unknown = refuseUnknownSetting(changes);
  if (unknown !== undefined) return unknown;
  const set = Object.entries(changes).filter(([, value]) => value !== null);
  const read = projectConfig.safeParse(Object.fromEntries(set));
  if (!read.success) return refuseParams(read.error, ['config']);
  const entries = Object.entries(changes).map(([name, value]) => ({
    key: `${prefix}${name}`,
    ...(value === null ? {} : { value: { value } }),
  }));
  const written = await engine.homes.set(request, { project }, entries);
  return written.ok ? { ok: true, value: await readProjectConfig(engine, project) } : written;
}

/** Returns the config of a new conversation with what its project says about those that begin in it. What its caller gives comes first. */
export async function inheritConfig(
  engine: Pick<LoomEngine, 'homes' | 'projects'>,
  config: RootConfig = {},
): Promise<RootConfig> {
  const { directory } = readRootSettings(config);
  if (directory === undefined || Object.hasOwn(config, 'instructions')) return config;
  const project = await engine.projects.find({ config });
  if (project === undefined) return config;
  const { instructions } = await readProjectConfig(engine, project);
  return instructions === false ? { ...config, instructions } : config;
}

function refuseUnknownSetting(changes: PlainObject): Refused | undefined {
  const key = Object.keys(changes).find((name) => !knownKeys.includes(name));
  if (key === undefined) return undefined;
  const likely = nearest(key, knownKeys);
  return refuse({
    reason: 'unknown-config-key',
    key,
    nearest: likely === undefined ? [] : [likely],
    known: knownKeys,
  });
}
