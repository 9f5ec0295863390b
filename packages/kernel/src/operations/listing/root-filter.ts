import { z } from 'zod';
import { projectNames } from '../../forest/projects.ts';
import { archivedChoice } from '../../forest/root-pages.ts';
import { once } from '../../once.ts';
import type { LoomEngine } from '../calling/engine.ts';
import type { Caller } from '../operation.ts';
import { rootStates } from './catalog.ts';
import type { CatalogRow } from './catalog.ts';

/** One value, or several of which any will do. */
function anyOf<Value extends z.ZodType<string, string>>(value: Value) {
  return z.union([value, z.array(value).min(1).max(200)]).exactOptional();
}

/** The parameters by which lists of conversations are narrowed. */
export const filterParams = {
  deleted: z.boolean().exactOptional().describe('List deleted conversations instead. Default: false.'),
  tag: z.string().exactOptional().describe('Only conversations with this tag, from tag.list.'),
  children: z.boolean().exactOptional().describe('Whether to include the conversations of sub-agents. Default: true.'),
  archived: archivedChoice
    .exactOptional()
    .describe(
      'Whether to list archived conversations with the others, only them, or leave them out. Default: without.',
    ),
  project: anyOf(z.string()).describe(
    'Only conversations of this project, or of any of these, from project.list; "" for those without one.',
  ),
  source: anyOf(z.string()).describe(
    'Only those imported from this program, by its name in origins; loom for the others.',
  ),
  model: anyOf(z.string()).describe('Only those whose newest answer this model wrote.'),
  state: anyOf(z.enum(rootStates)).describe(
    'Only those in this state: waiting for a person, running, failed, or done.',
  ),
  text: z
    .string()
    .max(1000)
    .exactOptional()
    .describe('Only those with these words in their titles or first lines, in any case.'),
  since: z.iso.datetime().exactOptional().describe('Only those changed at this time, ISO 8601 in UTC, or later.'),
  until: z.iso.datetime().exactOptional().describe('Only those changed before this time.'),
  pinned: z.boolean().exactOptional().describe("Only those under pins/ in the caller's home, or only the others."),
};

const filter = z.strictObject(filterParams);
export type RootFilter = z.infer<typeof filter>;

const counted = z.array(z.strictObject({ value: z.string(), count: z.int() }));

/** The number of conversations for each value of a filter: of those that all other filters let through, so that it tells what choosing it would show. */
export const rootCounts = once(() =>
  z.strictObject({
    matching: z.int().describe('The number of conversations that the filters let through.'),
    all: z.int().describe('The number of those that are neither deleted nor archived.'),
    archived: z.int(),
    project: z.array(z.strictObject({ value: z.string(), name: z.string(), count: z.int() })),
    source: counted,
    model: counted,
    state: counted,
    tag: counted,
  }),
);
export type RootCounts = z.infer<ReturnType<typeof rootCounts>>;

/** A conversation of the catalog with its project; "" stands for none. */
export interface PlacedRow extends CatalogRow {
  readonly project: string;
}

type Test = (row: PlacedRow) => boolean;

/** Filters and counts conversations. */
export class RootFilters {
  readonly rows: readonly PlacedRow[];
  /** The conversations that the filters let through. */
  readonly matching: readonly PlacedRow[];
  readonly pins: ReadonlySet<string>;
  readonly #tests: ReadonlyMap<string, Test>;

  private constructor(rows: readonly PlacedRow[], filters: RootFilter, pins: ReadonlySet<string>) {
    this.rows = rows;
    this.pins = pins;
    this.#tests = testsOf(filters, pins);
    this.matching = rows.filter((row) => this.#isLetThrough(row));
  }

  static async read(engine: LoomEngine, caller: Caller, filters: RootFilter): Promise<RootFilters> {
    const rows = await engine.catalog.rows(caller);
    const placed = rows.map((row) => ({ ...row, project: engine.projects.projectOf(row.facts) ?? '' }));
    const pins = filters.pinned === undefined ? new Set<string>() : await pinsOf(engine, caller);
    return new RootFilters(placed, filters, pins);
  }

  counts(): RootCounts {
    const present = this.rows.filter(({ deleted, isChild }) => !deleted && !isChild);
    const projects = this.#countBy('project', ({ project }) => [project]);
    const names = projectNames(projects.map(({ value }) => value));
    return {
      matching: this.matching.length,
      all: present.filter(({ archived }) => !archived).length,
      archived: present.filter(({ archived }) => archived).length,
      project: projects.map(({ value, count }) => ({ value, name: names.get(value) ?? value, count })),
      source: this.#countBy('source', ({ source }) => [source]),
      model: this.#countBy('model', ({ model }) => (model === undefined ? [] : [model])),
      state: this.#countBy('state', ({ state }) => [state]),
      tag: this.#countBy('tag', ({ tags }) => tags),
    };
  }

  #countBy(name: string, valuesOf: (row: PlacedRow) => readonly string[]): { value: string; count: number }[] {
    const counts = new Map<string, number>();
    for (const row of this.rows) {
      if (!this.#isLetThrough(row, name)) continue;
      for (const value of valuesOf(row)) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return Array.from(counts, ([value, count]) => ({ value, count })).sort(
      (one, other) => other.count - one.count || (one.value < other.value ? -1 : 1),
    );
  }

  #isLetThrough(row: PlacedRow, except?: string): boolean {
    for (const [name, test] of this.#tests) if (name !== except && !test(row)) return false;
    return true;
  }
}

/** Returns the conversations that a caller has pinned. */
async function pinsOf({ homes }: LoomEngine, { agent }: Caller): Promise<Set<string>> {
  const entries = await homes.list({ person: agent }, pinPrefix);
  return new Set(entries.map(({ key }) => key.slice(pinPrefix.length)));
}

const pinPrefix = 'pins/';

function testsOf(filters: RootFilter, pins: ReadonlySet<string>): Map<string, Test> {
  const { deleted = false, archived = deleted ? 'with' : 'without', children = true, tag, pinned } = filters;
  const tests = new Map<string, Test>([['deleted', (row) => row.deleted === deleted]]);
  if (archived !== 'with') tests.set('archived', (row) => row.archived === (archived === 'only'));
  if (!children) tests.set('children', (row) => !row.isChild);
  if (tag !== undefined) tests.set('tag', ({ tags }) => tags.includes(tag));
  if (pinned !== undefined) tests.set('pinned', ({ id }) => pins.has(id) === pinned);
  const { project, source, model, state, text, since, until } = filters;
  const one = (name: string, wanted: string | string[] | undefined, of: (row: PlacedRow) => string | undefined) => {
    if (wanted === undefined) return;
    const values = new Set(typeof wanted === 'string' ? [wanted] : wanted);
    tests.set(name, (row) => values.has(of(row) ?? ''));
  };
  one('project', project, (row) => row.project);
  one('source', source, (row) => row.source);
  one('model', model, (row) => row.model);
  one('state', state, (row) => row.state);
  if (text !== undefined) {
    const words = text.toLocaleLowerCase().split(/\s+/u).filter(Boolean);
    tests.set('text', ({ title, opening }) => {
      const said = `${title}\n${opening}`.toLocaleLowerCase();
      return words.every((word) => said.includes(word));
    });
  }
  const [begin, end] = [since, until].map((time) => (time === undefined ? undefined : Date.parse(time)));
  if (begin !== undefined) tests.set('since', ({ updated }) => updated >= begin);
  if (end !== undefined) tests.set('until', ({ updated }) => updated < end);
  return tests;
}

export const rootOrders = ['newest', 'cost'] as const;

/** Sorts conversations for a list. */
export function sortRows(rows: readonly PlacedRow[], order: (typeof rootOrders)[number]): PlacedRow[] {
  return rows.toSorted(
    (one, other) =>
      (order === 'cost' ? (other.cost ?? -1) - (one.cost ?? -1) : 0) ||
      other.updated - one.updated ||
      (one.id < other.id ? -1 : 1),
  );
}
