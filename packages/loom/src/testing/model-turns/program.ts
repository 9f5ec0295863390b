// A program that opens data folders, says something in the conversation of each, and lets a model behind an emulator answer; once for each prompt.
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import type { Tool } from '@loom/kernel';
import { emulatedProviders } from '@loom/providers/testing';
import { z } from 'zod';
import { openLoom } from '../../open-loom.ts';
import type { Loom } from '../../open-loom.ts';

export const modelTurnsProgram = import.meta.filename;

/** The task of the program, as JSON in its only argument. */
export const modelTurnsTask = z.strictObject({
  folders: z.array(
    z.strictObject({ dataDir: z.string(), storeKind: z.enum(STORE_KINDS), provider: z.string(), url: z.string() }),
  ),
  prompts: z.array(z.string()),
});
export type ModelTurnsTask = z.infer<typeof modelTurnsTask>;

const weather: Tool = {
  name: 'weather',
  description: 'Says what the weather is like.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  prepare: async () => ({ permission: 'run' }),
  run: async ({ parameters }) => ({ content: [{ type: 'text', text: `Sun in ${String(parameters.city)}.` }] }),
};

const machineClock = {
  now: Date.now,
  after(milliseconds: number, callback: () => void): () => void {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

if (import.meta.main) {
  const [, , given = ''] = process.argv;
  const { folders, prompts } = modelTurnsTask.parse(JSON.parse(given));
  await Promise.all(folders.map((folder) => talk(folder, prompts)));
}

async function talk(
  { dataDir, storeKind, provider: name, url }: ModelTurnsTask['folders'][number],
  prompts: readonly string[],
): Promise<void> {
  const emulated = emulatedProviders.find((one) => one.name === name);
  if (emulated === undefined) throw new Error(`there is no provider ${name}`);
  const dependencies = { clock: machineClock, random: Math.random, key: async () => 'key' };
  const provider = emulated.make({ ...dependencies, baseURL: url + emulated.path });
  await using loom = await openLoom({ dataDir, storeKind, providers: [provider], tools: [weather] });
  const { root, leaf } = await findEnd(loom);
  let parent = leaf;
  for (const prompt of prompts) {
    const messages = [{ role: 'user' as const, content: prompt }];
    const [node = ''] = orThrow(await loom.call('node.append', { parent, messages })).nodes;
    const { turns } = orThrow(
      await loom.call('turn.start', { node, provider: provider.id, model: emulated.model, tools: ['weather'] }),
    );
    for (const turn of turns) {
      const { ended } = orThrow(await loom.call('turn.wait', { root, turn }));
      if (ended !== 'done') throw new Error(`${name} in ${storeKind}: the answer to “${prompt}” ended as ${ended}`);
    }
    parent = await lastNode(loom, root);
  }
}

/** The conversation of the folder and the end of its only branch; a new one in a new folder. */
async function findEnd(loom: Loom): Promise<{ root: string; leaf: string }> {
  const [known] = orThrow(await loom.call('root.list', {})).items;
  const [leaf] = known?.leaves ?? [];
  if (leaf !== undefined) return { root: leaf.slice(0, leaf.indexOf('/')), leaf };
  const { root } = orThrow(await loom.call('root.create', { config: { systemPrompt: 'Be brief.' } }));
  return { root, leaf: root };
}

async function lastNode(loom: Loom, root: string): Promise<string> {
  return [...orThrow(await loom.open(root)).nodes.keys()].at(-1) ?? root;
}

function orThrow<Value>(outcome: { ok: true; value: Value } | { ok: false; refusal: unknown }): Value {
  if (outcome.ok) return outcome.value;
  throw new Error(JSON.stringify(outcome.refusal));
}
