import { z } from 'zod';
import type { Clock, OfferedModel, OfferProblem, ProviderOffer } from '@loom/kernel';
import { readLimited } from './wire/limited-body.ts';
import { useEnvironmentProxy } from './wire/proxy.ts';

/** The list of models at a server: the request for it, and the reader of its answer. */
export interface ModelList {
  /** The base URL of the vendor, where none is set. */
  readonly address?: string;
  /** The path below the base URL, with the query of a page: the first one, or that of `next`. */
  path(next?: string): string;
  /** The headers of a request, with the key if there is one. */
  headers(key: string | undefined): Record<string, string>;
  /** Pure. Returns the models that can talk, and the name of the next page; `undefined` if the answer is something else. */
  read(answer: unknown): ModelPage | undefined;
}

export interface ModelPage {
  models: readonly OfferedModel[];
  next?: string;
}

export interface ListDependencies {
  id: string;
  clock: Clock;
  /** True if it answers without a key. */
  keyless: boolean;
  key: () => Promise<string | undefined>;
  baseURL?: string;
  fetch?: typeof globalThis.fetch;
}

/** The longest time for all pages of a list, in milliseconds: a person waits. */
const patience = 2_500;
/** Vendors send up to 1,000 models a page; a server that always names another page is not followed for ever. */
const mostPages = 5;
/** More than a person looks through. */
const mostModels = 1_000;
/** The lists of routers have about a megabyte. */
const largestPage = 8_000_000;

/**
 * Asks a server for its models, for a moment only. A failure is returned as such, in words of Loom: the server's own may repeat the
 * key.
 */
export async function askForModels(list: ModelList, dependencies: ListDependencies): Promise<ProviderOffer> {
  const { id, clock } = dependencies;
  const stop = new AbortController();
  const cancel = clock.after(patience, () => stop.abort());
  try {
    const found = await readPages(list, dependencies, stop.signal);
    return 'code' in found
      ? { state: { type: 'failed', ...found } }
      : { state: { type: 'installed' }, models: found.slice(0, mostModels) };
  } catch {
    const message = `${id} does not answer. Check the network connection${dependencies.baseURL === undefined ? '' : ' and the address'}.`;
    return { state: { type: 'failed', code: 'no-answer', message } };
  } finally {
    cancel();
  }
}

async function readPages(
  list: ModelList,
  { id, keyless, key: findKey, baseURL = list.address ?? '', fetch = globalThis.fetch }: ListDependencies,
  signal: AbortSignal,
): Promise<OfferedModel[] | OfferProblem> {
  const key = await findKey();
  if (key === undefined && !keyless) return { code: 'key-refused', message: `There is no key for ${id}. Set one.` };
  useEnvironmentProxy(process.env);
  const headers = list.headers(key);
  const models: OfferedModel[] = [];
  let next: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    // A redirect would carry the key to another place.
    const response = await fetch(`${baseURL}${list.path(next)}`, { headers, signal, redirect: 'error' });
    const body = await readLimited(response, largestPage);
    const problem = problemOf(id, response.status, body);
    if (problem !== undefined) return problem;
    const read = list.read(parse(body));
    if (read === undefined) return unreadable(id);
    models.push(...read.models.filter(({ name }) => isName(name)));
    next = read.next;
    if (next === undefined) break;
  }
  return models;
}

/** Reads the failure of an answer by its status. Google answers 400 to a key that it does not know. */
function problemOf(id: string, status: number, body: string): OfferProblem | undefined {
  if (status >= 200 && status < 300) return undefined;
  const isRefused = status === 401 || status === 403 || (status === 400 && /API[_ ]key/iu.test(body));
  if (isRefused) return { code: 'key-refused', message: `${id} does not take the key. Set another one.` };
  return { code: 'no-answer', message: `${id} answers with status ${status} instead of its models. Try again later.` };
}

function unreadable(id: string): OfferProblem {
  return { code: 'unreadable', message: `${id} answers with something else than a list of models. Check its address.` };
}

/** Names go to terminals and into commands. */
function isName(name: string): boolean {
  return /^[^\p{C}\s]{1,200}$/u.test(name);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const tokens = z.int().positive();

/** Drops the facts that a server does not state, or states as something else than a number of tokens or a boolean. */
export function statedFacts(facts: {
  created?: unknown;
  context?: unknown;
  output?: unknown;
  images?: unknown;
  files?: unknown;
  thinking?: unknown;
  tools?: unknown;
}): Omit<OfferedModel, 'name' | 'about'> {
  const created = z.number().positive().safeParse(facts.created).data;
  const [context, output] = [tokens.safeParse(facts.context).data, tokens.safeParse(facts.output).data];
  const ability = (fact: unknown): boolean | undefined => (typeof fact === 'boolean' ? fact : undefined);
  const [images, files] = [ability(facts.images), ability(facts.files)];
  const [thinking, tools] = [ability(facts.thinking), ability(facts.tools)];
  return {
    ...(created === undefined ? {} : { created }),
    ...(context === undefined ? {} : { context }),
    ...(output === undefined ? {} : { output }),
    ...(images === undefined ? {} : { images }),
    ...(files === undefined ? {} : { files }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(tools === undefined ? {} : { tools }),
  };
}
