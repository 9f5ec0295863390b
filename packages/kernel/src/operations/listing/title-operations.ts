import { z } from 'zod';
import { knownRootId } from '../../forest/ids.ts';
import { once } from '../../once.ts';
import type { NamedModel } from '../../ports.ts';
import { refuse, refuseValue } from '../../refusal.ts';
import { usualTime } from '../../turn/titling/titles.ts';
import { questionLength } from '../../turn/titling/title-words.ts';
import type { LoomEngine } from '../calling/engine.ts';
import { defineOperation } from '../operation.ts';
import type { Caller } from '../operation.ts';
import { refuseLimited } from '../permission.ts';
import { RootFilters } from './root-filter.ts';
import { TitleRun, titleReport } from './title-run.ts';

const order = once(() =>
  z.strictObject({
    untitled: z.int().describe('The number of conversations without a title that a model can give one.'),
    provider: z.string().exactOptional().describe('The provider that would be asked; absent if no model is set up.'),
    model: z.string().exactOptional(),
    tokens: z.int().describe('About how many tokens the model reads and writes for all of them.'),
    cost_usd: z
      .number()
      .exactOptional()
      .describe('About how much that costs, unless the model thinks first; absent if its price is not known.'),
    job: z
      .string()
      .exactOptional()
      .describe(
        `The id of the job, if there is something to do. Its result: {${Object.keys(titleReport().shape).join(', ')}}.`,
      ),
  }),
);

const suggestTitles = defineOperation({
  name: 'root.suggest_titles',
  summary:
    'Starts a job that asks a model for titles of all untitled conversations, or of some, and returns the job with the estimated price at once; with dry_run only the price. Each title is kept as soon as it is there, so that a job that was cancelled or killed goes on with the rest when it is started again. A title that a person or a program gives is never replaced. There is one such job at a time: while one runs, it is returned.',
  params: () =>
    z
      .strictObject({
        roots: z
          .array(knownRootId)
          .min(1)
          .max(10_000)
          .exactOptional()
          .describe('Only these conversations. Default: all that are neither archived nor deleted nor of sub-agents.'),
        provider: z.string().min(1).exactOptional().describe('The id of a provider. Default: as the settings say.'),
        model: z.string().min(1).exactOptional().describe("The name of one of that provider's models."),
        dry_run: z.boolean().exactOptional().describe('Ask no model. Default: false.'),
      })
      .refine(({ provider, model }) => (provider === undefined) === (model === undefined), {
        error: 'needs both provider and model, or neither',
      }),
  result: () => order(),
  refusals: ['unknown-provider', 'root-not-found'],
  effect: 'runs',
  run: async (engine, caller, { roots, provider, model, dry_run: isDry = false }) => {
    const denied = refuseLimited(caller, 'root.suggest_titles');
    if (denied !== undefined) return denied;
    for (const root of roots ?? []) {
      const unknown = await engine.forest.refuseUnknown(root);
      if (unknown !== undefined) return unknown;
    }
    const named = provider === undefined || model === undefined ? await engine.titles.usual() : { provider, model };
    if (named !== undefined && engine.registry.provider(named.provider) === undefined) {
      const providers = engine.registry.providers.map(({ id }) => id);
      return refuse({ reason: 'unknown-provider', provider: named.provider, providers });
    }
    const untitled = await untitledOf(engine, caller, roots);
    const estimate = { untitled: untitled.length, ...(await estimateOf(engine, named, untitled)) };
    if (isDry || untitled.length === 0) return { ok: true, value: estimate };
    if (named === undefined) return refuseValue(['model'], 'is needed: no model is set up that could find titles');
    return { ok: true, value: { ...estimate, job: startRun(engine, caller, named, untitled) } };
  },
});

interface Untitled {
  id: string;
  opening: string;
}

/** Returns the conversations that have words and no title, the one that was changed last first. */
async function untitledOf(engine: LoomEngine, caller: Caller, roots: string[] | undefined): Promise<Untitled[]> {
  const { matching } = await RootFilters.read(engine, caller, {
    children: roots !== undefined,
    archived: roots === undefined ? 'without' : 'with',
  });
  const only = roots && new Set(roots);
  return matching
    .filter(({ id, title, opening }) => title === '' && opening !== '' && only?.has(id) !== false)
    .toSorted((one, other) => other.updated - one.updated);
}

async function estimateOf(engine: LoomEngine, named: NamedModel | undefined, untitled: readonly Untitled[]) {
  const input = untitled.reduce((sum, { opening }) => sum + questionLength(opening), 0) * tokensPerCharacter;
  const output = untitled.length * tokensOfTitle;
  const tokens = Math.ceil(input + output);
  if (named === undefined || untitled.length === 0) return { ...named, tokens };
  const pricing = await engine.pricing();
  // One call of middle length: long ones have other prices with some models.
  const each = { input_tokens: input / untitled.length, output_tokens: tokensOfTitle };
  const cost = pricing({ ...named, time: engine.now(), ...each });
  return { ...named, tokens, ...(cost === undefined ? {} : { cost_usd: cost * untitled.length }) };
}

/** Starts the job, unless one is running. */
function startRun(engine: LoomEngine, caller: Caller, named: NamedModel, untitled: readonly Untitled[]): string {
  const kind = 'root.suggest_titles';
  const running = engine.jobs.list().find((job) => job.kind === kind && job.state === 'running');
  if (running !== undefined) return running.id;
  const ids = untitled.map(({ id }) => id);
  return engine.jobs.start({ kind, agent: caller.agent, words: 'Looking for titles' }, (job) =>
    new TitleRun(engine, caller, { ...named, timeLimit: usualTime }).run(ids, job),
  );
}

/** About what tokenizers make of prose: a price that is told too high is better than one that is too low. */
const tokensPerCharacter = 0.3;
const tokensOfTitle = 20;

export const titleOperations = [suggestTitles] as const;
