import { titleReport } from '@loom/kernel';
import type { ResultOf, TitleReport } from '@loom/kernel';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError } from '../../command-line/failure.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { createModels } from '../../models/models.ts';
import { describeCost } from '../../models/price-words.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { followJob } from '../followed-job.ts';
import type { Loom } from '../../runtime/loom.ts';
import { findPlace } from '../../runtime/named-place.ts';
import { withPresentData } from '../../runtime/present-data.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { count } from '../../terminal/progress.ts';
import { orFail } from '../../words/refusal-error.ts';

type Plan = ResultOf<'root.suggest_titles'>;

/** `loom title`: lets a model find titles for conversations without one, once a person has seen the price. */
export function findTitles(call: Call): Promise<ExitCode> {
  const { words, options, dataDir, store, isJson, terminal } = call;
  const models = createModels({ dataDir, env: terminal.env, clock: systemClock });
  return withPresentData({ dataDir, store, models, note: noteOf(terminal, isJson) }, async (loom) => {
    const roots: string[] = [];
    for (const word of words) roots.push((await findPlace(loom, word)).root);
    const named = options.get('model');
    const chosen = typeof named === 'string' ? await models.choose(named) : undefined;
    const order = {
      ...(roots.length === 0 ? {} : { roots }),
      ...(chosen === undefined ? {} : { provider: chosen.provider, model: chosen.model }),
    };
    const plan = orFail(await loom.call('root.suggest_titles', { ...order, dry_run: true }));
    if (plan.untitled === 0 || options.has('dry-run')) {
      terminal.out(isJson ? `${JSON.stringify({ ok: true, ...plan })}\n` : `${describePlan(plan)}\n`);
      return EXIT.ok;
    }
    refuseWithoutModel(plan);
    if (!options.has('yes')) {
      throw new LoomError('not-confirmed', `no model was asked. ${describePlan(plan)}`, {
        advice: 'Add --yes to do it.',
        details: { ...plan },
      });
    }
    return run(loom, order, call);
  });
}

function refuseWithoutModel({ model, untitled }: Plan): void {
  if (model !== undefined) return;
  throw new LoomError('no-model', `no model is set up that could find titles for ${conversations(untitled)}`, {
    advice: `Name one: ${suggest('title --model <provider>/<model>')}, or see ${suggest('models')}.`,
  });
}

async function run(loom: Loom, order: object, call: Call): Promise<ExitCode> {
  const { terminal, isJson } = call;
  const { job } = orFail(await loom.call('root.suggest_titles', order));
  if (job === undefined) return EXIT.ok;
  const { result, words } = await followJob(loom, job, call);
  const read = titleReport().safeParse(result);
  if (!read.success) {
    throw new LoomError('titles-failed', `the search for titles ended: ${words}`, {
      advice: 'The titles that were found are kept. Start it again for the rest.',
    });
  }
  const report = read.data;
  terminal.out(isJson ? `${JSON.stringify({ ok: true, ...report })}\n` : describeReport(report));
  return report.cancelled || report.failed.length > 0 ? EXIT.failed : EXIT.ok;
}

function describePlan({ untitled, provider, model, cost_usd: cost }: Plan): string {
  if (untitled === 0) return 'Every conversation has a title.';
  const have = `${conversations(untitled)} ${untitled === 1 ? 'has' : 'have'} no title.`;
  if (model === undefined) return `${have} No model is set up that could find one.`;
  return `${have} ${provider}/${model} finds ${untitled === 1 ? 'one' : 'them'} for ${price(cost)}.`;
}

function describeReport({ titled, kept, failed, more, left, stopped, cost_usd: cost, cancelled }: TitleReport): string {
  const failures = failed.length + more;
  const lines = [
    `${count(titled, 'title')} found, for ${cost === undefined ? 'an unknown price' : describeCost(cost)}.`,
    ...(kept > 0 ? [`${conversations(kept)} had got a title meanwhile, or had no words.`] : []),
    ...failed.slice(0, mostShown).map(({ root, why }) => `  ${root}: ${why}`),
    ...(failures > mostShown ? [`  and ${failures - mostShown} more without a title`] : []),
    ...(stopped === undefined ? [] : ['The model failed again and again, so the others were not asked about.']),
    ...(left > 0 || cancelled ? [`${conversations(left)} left: ${suggest('title --yes')} goes on with them.`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function price(cost: number | undefined): string {
  return cost === undefined ? 'a price that is not known' : `about ${describeCost(cost)}`;
}

function conversations(number: number): string {
  return count(number, 'conversation');
}

const mostShown = 10;
