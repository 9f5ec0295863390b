import type { Models } from './models.ts';
import { isNamed } from './picked.ts';
import type { Picked } from './picked.ts';

interface ProjectModelParts {
  readonly ask: (name: 'project.get', params: { directory: string }) => Promise<{ config: { model?: string } }>;
  readonly models: Models;
}

/** The choice that a project's model has taken the place of, and the one that stands there now. */
interface Replaced {
  readonly before: Picked;
  readonly now: Picked;
}
const replaced = new WeakMap<Models, Replaced>();
/** The answer of the project on display to the last question. */
const said = new WeakMap<Models, { folder: string; wanted: string | undefined }>();

/**
 * Picks the model that the project of a folder says, for a conversation that begins there. In a folder without one the earlier choice comes
 * back, unless the reader has chosen meanwhile.
 */
export async function takeProjectModel({ ask, models }: ProjectModelParts, folder: string): Promise<void> {
  const found = folder === '' ? undefined : await ask('project.get', { directory: folder });
  const wanted = found?.config.model;
  said.set(models, { folder, wanted });
  await models.ready();
  const { picked, known } = models;
  const held = replaced.get(models);
  const own = held !== undefined && held.now === picked.getSnapshot() ? held.before : picked.getSnapshot();
  const isUsable = known.getSnapshot().models.some((model) => wanted !== undefined && isNamed(model, wanted));
  if (wanted === undefined || !isUsable) {
    picked.set(own);
    replaced.delete(models);
    return;
  }
  const now: Picked = { names: [wanted], n: 1 };
  picked.set(now);
  replaced.set(models, { before: own, now });
}

/** Does the same once the settings of projects have changed, unless those of this one are what they were: the reader may have chosen since. */
export async function followProjectModel(parts: ProjectModelParts, folder: string): Promise<void> {
  const before = said.get(parts.models);
  if (folder === '' || before?.folder !== folder) return;
  const { config } = await parts.ask('project.get', { directory: folder });
  if (config.model !== before.wanted) await takeProjectModel(parts, folder);
}
