import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ImageBlock, UserMessage } from '@loom/blocks';
import type { Tool } from '@loom/kernel';
import { HastyClock, mixedProviders, playScenarios, startEmulator } from '@loom/providers/testing';
import type { Emulator } from '@loom/providers/testing';
import { createMemoryStore } from '@loom/stores/memory';
import { openLoom } from './open-loom.ts';
import type { Loom } from './open-loom.ts';

/** One pixel. */
const picture: ImageBlock = {
  type: 'image',
  media_type: 'image/png',
  url: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
};

/** A tool whose results are seen as well as read. */
const weather: Tool = {
  name: 'weather',
  description: 'Says what the weather is like.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  prepare: async () => ({ permission: 'run' }),
  run: async () => ({ content: [{ type: 'text', text: 'Sun.' }, picture] }),
};

interface Speaker {
  provider: string;
  model: string;
  /** The prompts for abilities that only some models have. */
  prompts: readonly string[];
}

const emulators: Emulator[] = [];
const speakers: Speaker[] = [];
let loom: Loom;

before(async () => {
  const providers = [];
  for (const { wire, path, make, models } of mixedProviders) {
    const emulator = await startEmulator(wire, playScenarios);
    emulators.push(emulator);
    const baseURL = emulator.url + path;
    const provider = make({ clock: new HastyClock(), random: () => 0.5, key: async () => 'key', baseURL });
    providers.push(provider);
    const prompts = Object.entries(special).flatMap(([needs, prompt]) => {
      return wire.abilities.some((ability) => ability === needs) ? [prompt] : [];
    });
    speakers.push(...models.map((model) => ({ provider: provider.id, model, prompts })));
  }
  loom = await openLoom({ store: createMemoryStore(), providers, tools: [weather] });
});

const special = {
  drawing: 'Draw a pixel.',
  searching: 'Search for pixels.',
  'sealed thinking': 'Think where I cannot see it.',
};

after(async () => {
  await loom.close();
  for (const emulator of emulators) await emulator.close();
});

for (const { name, models } of mixedProviders) {
  for (const model of models) {
    test(`[PV52] every model goes on with what ${model} of ${name} began, and it goes on with what they said`, async () => {
      const first = speakers.find((speaker) => speaker.model === model);
      assert.ok(first !== undefined);
      const { root } = orThrow(await loom.call('root.create', { config: { systemPrompt: 'Be brief.' } }));
      const begun = await talk(root, root, first, ['Think first.', 'Call it wrongly.', ask, ...first.prompts]);
      assert.ok(speakers.length >= 9);
      for (const other of speakers) {
        // Its other abilities are shown at the beginning of its own branch.
        const node = await talk(root, begun, other, [
          ask,
          ...other.prompts.filter((prompt) => prompt === special.searching),
        ]);
        await talk(root, node, first, ['Say hello.']);
      }
    });
  }
}

/** Thinking, words and two calls at once. */
const ask = 'What is the weather in Oslo and in Rome?';

/** Sends one message after the other, each with a picture, and lets a model answer; returns the end of the branch. */
async function talk(
  root: string,
  start: string,
  { provider, model }: Speaker,
  prompts: readonly string[],
): Promise<string> {
  let parent = start;
  for (const text of prompts) {
    const content: UserMessage['content'] = [picture, { type: 'text', text }];
    const [node = ''] = orThrow(
      await loom.call('node.append', { parent, messages: [{ role: 'user', content }] }),
    ).nodes;
    const { turns } = orThrow(await loom.call('turn.start', { node, provider, model, tools: ['weather'] }));
    for (const turn of turns) {
      const { ended } = orThrow(await loom.call('turn.wait', { root, turn }));
      const said = [...orThrow(await loom.open(root)).nodes.values()].at(-1);
      assert.equal(ended, 'done', `${provider} ${model}: ${text}: ${JSON.stringify(said?.blocks)}`);
    }
    parent = [...orThrow(await loom.open(root)).nodes.keys()].at(-1) ?? '';
  }
  return parent;
}

function orThrow<Value>(outcome: { ok: true; value: Value } | { ok: false; refusal: unknown }): Value {
  if (outcome.ok) return outcome.value;
  throw new Error(JSON.stringify(outcome.refusal));
}
