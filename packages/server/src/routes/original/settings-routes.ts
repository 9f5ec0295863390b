import type { ResultOf } from '@loom/kernel';
import { z } from 'zod';
import { answerJson } from '../../answers/answer.ts';
import type { Route } from '../route.ts';
import { refuseBody, take } from './original-request.ts';
import type { Ask, MakeRoute } from './original-request.ts';

/** Makes the routes for the place where a person left off, defaults, presets, models and tools. */
export function settingsRoutes(route: MakeRoute): Route[] {
  return [
    route('GET', '/api/state', async ({ ask }) => {
      const { items } = await ask('setting.list', {});
      const place = items.find(({ key }) => key === 'currentNodeId')?.value;
      return answerJson({ currentNodeId: typeof place === 'string' && place !== '' ? place : null });
    }),
    route('PUT', '/api/state', async ({ ask, body }) => {
      const { currentNodeId } = take(place, body, 'It has a currentNodeId, the id of a node or a conversation.');
      await ask('setting.set', { key: 'currentNodeId', value: currentNodeId });
      return answerJson({ currentNodeId });
    }),
    route('GET', '/api/config/defaults', async ({ ask }) => {
      const { defaults } = await ask('preset.list', {});
      const { system_prompt: systemPrompt } = defaults;
      return answerJson({ ...asPreset(defaults), ...(systemPrompt === undefined ? {} : { systemPrompt }) });
    }),
    route('GET', '/api/config/presets', async ({ ask }) => {
      const { items } = await ask('preset.list', {});
      const presets = Object.fromEntries(items.map((preset) => [preset.name, asPreset(preset)]));
      return answerJson({ presets, activePresetName: items.find(({ active }) => active)?.name ?? null });
    }),
    route('PUT', '/api/config/active-preset', async ({ ask, body }) => {
      const { presetName } = take(chosen, body, 'presetName is the name of a preset, or null for none.');
      const { items } = await ask('preset.list', {});
      if (presetName === null) await ask('setting.unset', { key: 'activePresetName' });
      else if (items.some(({ name }) => name === presetName))
        await ask('setting.set', { key: 'activePresetName', value: presetName });
      else refuseBody(`There is no preset ${JSON.stringify(presetName)}.`);
      return answerJson({ activePresetName: presetName });
    }),
    route('GET', '/api/models', async ({ ask }) => answerJson(await listModels(ask))),
    route('GET', '/api/tools', async ({ ask }) => answerJson((await ask('tool.list', { limit: 10_000 })).items)),
  ];
}

const place = z.looseObject({ currentNodeId: z.string().min(1).max(1000) });
const chosen = z.looseObject({ presetName: z.string().min(1).nullable() });

type Answering = Pick<ResultOf<'preset.list'>['items'][number], 'model' | 'n' | 'settings'>;

/** Returns a preset as `config.toml` spells it. */
function asPreset({ model, n, settings }: Answering): Record<string, unknown> {
  const { temperature, maxTokens } = settings;
  return {
    ...(model === undefined ? {} : { model }),
    n,
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
}

/** The models that can be asked now, each as its provider and its name. */
async function listModels(ask: Ask): Promise<string[]> {
  const found: string[] = [];
  for (let after: string | undefined; ;) {
    const page = await ask('model.list', { usable: true, limit: 1000, ...(after === undefined ? {} : { after }) });
    found.push(...page.items.map(({ provider, model }) => `${provider}/${model}`));
    if (page.next === undefined) return found;
    after = page.next;
  }
}
