import { isPlainObject } from '@loom/blocks';
import type { ProviderRequest } from '@loom/kernel';
import type { LeftOut } from '../api.ts';

/** A setting that a model does not take. */
export function ignoredSetting(model: string, setting: string): LeftOut {
  return { what: 'setting', why: `${model} does not take the setting ${setting}, so it was left out.` };
}

/** Returns the omissions, without the settings that an answer on the path has already named. */
export function unsaid(leftOut: readonly LeftOut[], { trail }: Pick<ProviderRequest, 'trail'>): LeftOut[] {
  const said = new Set(trail.flatMap(({ note }) => listOf(note?.['left_out'])).map(({ why }) => why));
  return leftOut.filter(({ what, why }) => what !== 'setting' || !said.has(why));
}

function listOf(value: unknown): { why?: unknown }[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}
