import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { z } from 'zod';
import { ForestFolder } from '../testing/forest-folder.ts';

const listed = z.strictObject({
  ok: z.literal(true),
  default: z.string().optional(),
  problem: z.string().optional(),
  providers: z.array(
    z.looseObject({
      name: z.string(),
      usable: z.boolean(),
      advice: z.string().optional(),
      models: z.array(
        z.looseObject({ name: z.string(), context: z.number().optional(), default: z.boolean().optional() }),
      ),
    }),
  ),
});

/** Makes a folder whose lists ask no provider: no request leaves this machine. */
async function catalogueOnly(context: TestContext): Promise<ForestFolder> {
  const folder = new ForestFolder(context);
  await folder.succeed(['config', 'set', 'defaults.liveModels', 'false']);
  return folder;
}

test('[MO14] loom models says what can be used, and of the rest why not', async (context) => {
  const folder = await catalogueOnly(context);
  const bare = await folder.succeed(['models']);
  assert.match(
    bare,
    /\nanthropic\n {2}Cannot be used: there is no key for anthropic\.\n {2}Set ANTHROPIC_API_KEY, or: loom config/,
  );
  assert.match(bare, /^demo\n {2}demo +Answers by keyword.* ← default\n/);
  const env = { OPENAI_API_KEY: 'k' };
  const one = await folder.succeed(['models'], { env });
  assert.match(one, /openai\/gpt-5\.4-mini .* ← default\n/);
  assert.match(one, /^openai\n {2}openai\/gpt-6[^]*\n {2}\d+ older models: loom models openai/, 'newest first');
  assert.doesNotMatch(one, /openai\/gpt-4o/);
  const all = await folder.succeed(['models', 'openai/'], { env });
  assert.match(all, /^openai\n(?: {2}openai\/.*\n)* {2}openai\/gpt-4o +context 128k, \$2\.5 in, \$10 out\n/);
  await folder.succeed(['config', 'set', 'defaults.model', 'anthropic/claude-sonnet-5'], { env });
  const { note } = await folder.run(['models', 'claude'], { env });
  assert.match(note, /The default cannot be used: there is no key for anthropic\. Set ANTHROPIC_API_KEY/);
});

test('[MO14] words choose models by name, and --json has all that is known', async (context) => {
  const folder = await catalogueOnly(context);
  const env = { ANTHROPIC_API_KEY: 'k' };
  const out = await folder.succeed(['models', 'CLAUDE', 'haiku-4', '--json'], { env });
  const { providers, ...rest } = listed.parse(JSON.parse(out));
  assert.equal(rest.default, 'anthropic/claude-sonnet-5');
  const [anthropic, router] = providers;
  assert.deepEqual(
    [anthropic?.name, anthropic?.usable, router?.name, router?.usable],
    ['anthropic', true, 'openrouter', false],
  );
  assert.deepEqual(anthropic?.models, [
    {
      name: 'anthropic/claude-haiku-4-5',
      model: 'claude-haiku-4-5',
      context: 200_000,
      output: 64_000,
      images: true,
      files: true,
      thinking: true,
      tools: true,
      price: { input: 1, output: 5, cache_read: 0.1, cache_write: 1.25 },
    },
  ]);
  const server = await folder.succeed(['models', 'vllm'], { env });
  assert.match(server, /^vllm\n {2}Cannot be used: no server of vllm answers at .*\n {2}Start it, or say where it is/u);
  const nothing = await folder.run(['models', 'zebra'], { env });
  assert.deepEqual([nothing.code, nothing.out], [0, '']);
  assert.match(nothing.note, /No model matches/);
});
