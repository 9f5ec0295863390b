import type { OfferedModel } from '@loom/kernel';

/** A model of a vendor's list, and whether a newer one has taken its place. */
export interface RankedModel {
  model: string;
  isOlder: boolean;
}

/**
 * Joins the models that a provider lists with those of the catalogue, the newest first. A model that the catalogue alone has is older: the
 * provider no longer offers it. The short name of a listed model that pins a date is offered too.
 */
export function rankOffered(known: readonly string[], offered: readonly OfferedModel[] | undefined): RankedModel[] {
  if (offered === undefined) return rankModels(known);
  const created = new Map(offered.map(({ name, created: time }) => [name, time]));
  const names = new Set([...created.keys()].flatMap((name) => [name, name.replaceAll(dates, '')]));
  const all = [...new Set([...created.keys(), ...known])];
  const ranked = rankModels(all, (model) => created.get(model));
  const isListed = ({ model }: RankedModel): boolean => names.has(model);
  const unlisted = ranked.filter((one) => !isListed(one)).map(({ model }) => ({ model, isOlder: true }));
  return [...ranked.filter(isListed), ...unlisted];
}

/**
 * Sorts the models of a provider, the newest first, by the day of release where it is known. Catalogues know no dates, so the names decide: of
 * one line (claude-opus, gpt-mini) the highest version is current, unless its family is two generations further. The largest family
 * comes first.
 */
export function rankModels(
  models: readonly string[],
  createdAt: (model: string) => number | undefined = () => undefined,
): RankedModel[] {
  const read = models.map((model) => ({ model, ...readName(model) }));
  const newest = new Map<string, NamedModel>();
  const generation = new Map<string, number>();
  const size = new Map<string, number>();
  for (const one of read) {
    const best = newest.get(one.line);
    if (best === undefined || compareAge(one, best) < 0) newest.set(one.line, one);
    generation.set(one.family, Math.max(generation.get(one.family) ?? 0, one.version[0] ?? 0));
    size.set(one.family, (size.get(one.family) ?? 0) + 1);
  }
  const isOlder = (one: NamedModel): boolean => {
    const [major] = one.version;
    const best = newest.get(one.line);
    const isBehind = major !== undefined && (generation.get(one.family) ?? 0) - major >= 2;
    return isBehind || (best !== undefined && compareAge(one, best) > 0);
  };
  return read
    .map((one) => ({ ...one, isOlder: isOlder(one) }))
    .sort(
      (one, other) =>
        Number(one.isOlder) - Number(other.isOlder) ||
        dayOf(createdAt(other.model)) - dayOf(createdAt(one.model)) ||
        (size.get(other.family) ?? 0) - (size.get(one.family) ?? 0) ||
        compareText(one.family, other.family) ||
        compareAge(one, other) ||
        compareText(one.model, other.model),
    )
    .map((one) => ({ model: one.model, isOlder: one.isOlder }));
}

/** Models of one day were released together: their order is that of their names. Unknown days come last. */
function dayOf(time: number | undefined): number {
  return Math.floor((time ?? 0) / 86_400_000);
}

interface NamedModel {
  /** The first word of the name. */
  family: string;
  /** The words of the name, without versions, dates and sizes. */
  line: string;
  version: readonly number[];
  /** A name that pins a date has a shorter one beside it. */
  isDated: boolean;
}

/** Negative where the first is newer. */
function compareAge(one: NamedModel, other: NamedModel): number {
  for (let at = 0; at < Math.max(one.version.length, other.version.length); at += 1) {
    const difference = (other.version[at] ?? -1) - (one.version[at] ?? -1);
    if (difference !== 0) return difference;
  }
  return Number(one.isDated) - Number(other.isDated);
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Words that name no other model: its stage of development, and its training. */
const noise = new Set(['preview', 'exp', 'beta', 'it', 'instruct', 'maas']);

function readName(name: string): NamedModel {
  // A router puts the vendor before the name.
  const short = name.slice(name.lastIndexOf('/') + 1).toLowerCase();
  const undated = short.replaceAll(dates, '');
  const words: string[] = [];
  const version: number[] = [];
  for (const part of undated.split(/[-_:]/)) {
    if (size.test(part)) continue;
    const [, before = '', numbers = '', after = ''] = numbered.exec(part) ?? [];
    if (numbers === '') words.push(part);
    else {
      words.push(...[before, after].filter((word) => word !== '' && word !== 'v'));
      version.push(...numbers.split('.').map(Number));
    }
  }
  // `gpt-latest` moves with its line; `claude-3-5-haiku-latest` stays.
  const isNoise = (word: string): boolean =>
    word === '' || noise.has(word) || (word === 'latest' && version.length > 0);
  const named = words.filter((word) => !isNoise(word)).map((word) => (word === 'chatgpt' ? 'gpt' : word));
  return { family: named[0] ?? short, line: named.toSorted().join(' '), version, isDated: undated !== short };
}

/** 2024-05-13, 09-2025, 05-20, 20260420, 0613. */
const dates = /-(?:20\d\d-\d\d-\d\d|\d\d-20\d\d|0\d-\d\d|\d{8}|\d{3,4})(?=[-:]|$)/g;
/** 120b, a4b, 16k, 8x22b. */
const size = /^(?:[ae]?\d+(?:\.\d+)?|\d+x\d+)[bk]$/;
const numbered = /^([a-z]*)(\d{1,2}(?:\.\d{1,2})*)([a-z]*)$/;
