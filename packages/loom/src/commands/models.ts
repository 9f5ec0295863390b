import type { Call } from '../command-line/command.ts';
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts';
import type { ListedModel, ListedProvider } from '../models/model-list.ts';
import { createModels } from '../models/models.ts';
import { nameOfUsual, type Usual } from '../models/usual-name.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { count } from '../terminal/progress.ts';
import { styleFor } from '../terminal/style.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { suggest } from '../command-line/suggested-command.ts';

/** `loom models [filter…]` */
export async function listModels({ words, dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  const models = createModels({ dataDir, env: terminal.env, clock: systemClock });
  const isMeant = ({ name }: { name: string }): boolean =>
    words.every((word) => name.toLowerCase().includes(word.toLowerCase()));
  const providers = (await models.overview({ live: true })).map((provider) => ({
    ...provider,
    models: provider.models.filter(isMeant),
  }));
  const usual = await nameOfUsual(models);
  const shown = providers.filter((provider) => provider.models.length > 0 || isMeant(provider));
  if (isJson) {
    terminal.out(`${JSON.stringify({ ok: true, ...usual, providers: shown.map((one) => asJson(one, usual)) })}\n`);
    return EXIT.ok;
  }
  const isWhole = words.length > 0;
  terminal.out(shown.map((provider) => draw(provider, { usual, isWhole, terminal })).join('\n'));
  if (shown.length === 0)
    terminal.note(`No model matches. To use one that is not listed, name it with its provider.\n`);
  if (usual.problem !== undefined) terminal.note(`The default cannot be used: ${usual.problem}\n`);
  return EXIT.ok;
}

/** The number of models listed; longer lists are for those who ask for them: a router has hundreds. */
const mostListed = 60;

function draw(
  { name, hindrance, problem, models }: ListedProvider,
  { usual, isWhole, terminal }: { usual: Usual; isWhole: boolean; terminal: Terminal },
): string {
  const style = styleFor(terminal, 'out');
  const lines = [style.strong(name)];
  if (hindrance !== undefined)
    lines.push(`  ${style.odd(`Cannot be used: ${hindrance.message}.`)}`, `  ${hindrance.advice}`);
  if (problem !== undefined) lines.push(`  ${style.odd(problem.message)}`);
  const current = models.filter((model) => !model.isOlder);
  const isCut = !isWhole && (current.length > mostListed || hindrance !== undefined);
  const listed = isWhole ? models : isCut ? models.filter((model) => model.name === usual.default) : current;
  const width = Math.max(0, ...listed.map((model) => model.name.length));
  for (const model of listed) {
    const mark = model.name === usual.default ? `  ${style.good('← default')}` : '';
    lines.push(`  ${model.name.padEnd(width)}  ${style.faint(model.about())}${mark}`);
  }
  const more = models.length - listed.length;
  if (more > 0) {
    const what = isCut ? count(models.length, 'known model') : count(more, 'older model');
    lines.push(`  ${style.faint(`${what}: ${suggest(`models ${name}`)}`)}`);
  }
  return lines.map((line) => `${line}\n`).join('');
}

function asJson({ name, hindrance, problem, models }: ListedProvider, usual: Usual): object {
  const why = hindrance === undefined ? {} : { why: hindrance.message, advice: hindrance.advice };
  return {
    name,
    usable: hindrance === undefined,
    ...why,
    ...(problem && { problem }),
    models: models.map((model) => modelJson(model, usual)),
  };
}

function modelJson({ name, model, isOlder, facts: look }: ListedModel, usual: Usual): object {
  const { price, ...facts } = look();
  const prices = price && {
    input: price.input,
    output: price.output,
    cache_read: price.cacheRead,
    cache_write: price.cacheWrite,
  };
  const older = isOlder ? { older: true } : {};
  return {
    name,
    model,
    ...older,
    ...facts,
    ...(prices && { price: prices }),
    ...(name === usual.default && { default: true }),
  };
}
