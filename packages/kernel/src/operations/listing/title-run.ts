import { z } from 'zod';
import type { JobHandle } from '../../jobs/jobs.ts';
import type { Usage } from '../../node-metadata.ts';
import { once } from '../../once.ts';
import { isAboutOneLog } from '../../store.ts';
import type { TitleParams } from '../../turn/titling/titles.ts';
import type { LoomEngine } from '../calling/engine.ts';
import type { Caller } from '../operation.ts';

/** The result of a job that looked for titles. */
export const titleReport = once(() =>
  z.strictObject({
    titled: z.int().describe('Conversations that a model gave a title.'),
    kept: z.int().describe('Those that had got one from a person or a program meanwhile, and those without words.'),
    failed: z
      .array(z.strictObject({ root: z.string(), why: z.string() }))
      .describe('Those for which no title was found; at most 100.'),
    more: z.int().describe('Failures beyond those that are listed.'),
    left: z.int().describe('Those that no model was asked about.'),
    stopped: z.string().exactOptional().describe('Why the job gave up: the model failed again and again.'),
    input_tokens: z.number(),
    output_tokens: z.number(),
    cost_usd: z.number().exactOptional().describe('What the calls cost; absent if the price is not known.'),
    cancelled: z.boolean(),
  }),
);
export type TitleReport = z.infer<ReturnType<typeof titleReport>>;

/** Asks a model for the titles of many conversations, some at once. */
export class TitleRun {
  readonly #engine: LoomEngine;
  readonly #caller: Caller;
  readonly #params: Omit<TitleParams, 'signal' | 'asked' | 'used'>;
  readonly #report: TitleReport = {
    titled: 0,
    kept: 0,
    failed: [],
    more: 0,
    left: 0,
    input_tokens: 0,
    output_tokens: 0,
    cancelled: false,
  };
  readonly #usages: Usage[] = [];
  #failuresInARow = 0;

  constructor(engine: LoomEngine, caller: Caller, params: Omit<TitleParams, 'signal' | 'asked' | 'used'>) {
    this.#engine = engine;
    this.#caller = caller;
    this.#params = params;
  }

  async run(roots: readonly string[], { signal, report }: JobHandle): Promise<TitleReport> {
    const waiting = roots.values();
    let begun = 0;
    let done = 0;
    const work = async (): Promise<void> => {
      for (const root of waiting) {
        if (signal.aborted || this.#report.stopped !== undefined) return;
        begun += 1;
        await this.#ask(root, signal);
        done += 1;
        report(`${done} of ${roots.length} conversations looked at`, done / roots.length);
      }
    };
    report(`0 of ${roots.length} conversations looked at`, 0);
    await Promise.all(Array.from({ length: atOnce }, work));
    return { ...this.#report, ...(await this.#spent()), left: roots.length - begun, cancelled: signal.aborted };
  }

  async #ask(root: string, signal: AbortSignal): Promise<void> {
    const { agent, id } = this.#caller;
    let isAsked = false;
    const asked = (): void => {
      isAsked = true;
    };
    const used = (usage: Usage): void => void this.#usages.push(usage);
    try {
      const params = { ...this.#params, signal, asked, used };
      const outcome = await this.#engine.titles.suggest({ agent, id: `${id}/${root}` }, root, params);
      if (!outcome.ok || !isAsked) this.#report.kept += 1;
      else if (outcome.value.failure === undefined) this.#succeed();
      else if (!signal.aborted) this.#fail(root, outcome.value.failure);
    } catch (error) {
      // A damaged conversation must not keep the others from their titles.
      if (!isAboutOneLog(error)) throw error;
      this.#fail(root, error.message);
    }
  }

  #succeed(): void {
    this.#report.titled += 1;
    this.#failuresInARow = 0;
  }

  #fail(root: string, why: string): void {
    if (this.#report.failed.length < mostListed) this.#report.failed.push({ root, why });
    else this.#report.more += 1;
    this.#failuresInARow += 1;
    if (this.#failuresInARow >= mostInARow) this.#report.stopped = why;
  }

  async #spent(): Promise<Pick<TitleReport, 'input_tokens' | 'output_tokens' | 'cost_usd'>> {
    const { provider, model } = this.#params;
    const pricing = await this.#engine.pricing();
    const time = this.#engine.now();
    let cost: number | undefined = 0;
    for (const { raw: _raw, estimated: _estimated, cost_usd: own, ...usage } of this.#usages) {
      const price: number | undefined = own ?? pricing({ provider, model, time, ...usage });
      cost = cost === undefined || price === undefined ? undefined : cost + price;
    }
    const sum = (of: 'input_tokens' | 'output_tokens'): number =>
      this.#usages.reduce((total, usage) => total + usage[of], 0);
    return {
      input_tokens: sum('input_tokens'),
      output_tokens: sum('output_tokens'),
      ...(cost === undefined ? {} : { cost_usd: cost }),
    };
  }
}

/** The number of conversations that the model is asked about side by side: as many calls are lost at most when the process is killed. */
const atOnce = 4;
/** A key that is refused, or an account that is empty, would fail for all. */
const mostInARow = 5;
const mostListed = 100;
