import type { Pricing } from '@loom/blocks';
import { readHead, summarizeRoot } from '../../forest/root-head.ts';
import type { RootSummary } from '../../forest/root-head.ts';
import { workFactsOf } from '../../forest/projects.ts';
import type { WorkFacts } from '../../forest/projects.ts';
import type { HeadedRoot } from '../../forest/root-pages.ts';
import { senderOf } from '../../forest/sender.ts';
import { readRootSettings } from '../../root-settings.ts';
import { isAboutOneLog } from '../../store.ts';
import type { LogHead } from '../../store.ts';
import type { LoomEngine } from '../calling/engine.ts';
import type { Caller } from '../operation.ts';
import { UsageReport } from '../overview/usage-report.ts';

/** The states of a conversation, the strongest first. */
export const rootStates = ['waiting', 'running', 'failed', 'done'] as const;
export type RootStateName = (typeof rootStates)[number];

/** A conversation with what lists filter, sort and count by. */
export interface CatalogRow {
  readonly id: string;
  readonly title: string;
  readonly opening: string;
  readonly tags: readonly string[];
  readonly updated: number;
  readonly deleted: boolean;
  readonly archived: boolean;
  /** It belongs to an agent that another conversation sent out. */
  readonly isChild: boolean;
  readonly facts: WorkFacts;
  /** The program that it was imported from, or loom. */
  readonly source: string;
  readonly model?: string;
  readonly state: RootStateName;
  readonly cost?: number;
  /** The entry of a list; it is read from the head when it is needed. */
  readonly summary: () => RootSummary;
}

interface KnownRow {
  readonly head: LogHead | undefined;
  readonly seq: number | undefined;
  readonly row: CatalogRow;
}

/**
 * Knows all conversations with what lists filter and count by. It goes through their heads for every question, and reads those alone that
 * have changed since the last one: 10,000 conversations take some 15 MB.
 */
export class Catalog {
  readonly #engine: LoomEngine;
  #known = new Map<string, KnownRow>();
  #pricing: Pricing | undefined;

  constructor(engine: LoomEngine) {
    this.#engine = engine;
  }

  /** Returns the rows of all conversations that a caller may see. */
  async rows({ roots }: Pick<Caller, 'roots'>): Promise<CatalogRow[]> {
    const { forest, projects } = this.#engine;
    this.#pricing ??= await this.#engine.pricing();
    const rows: CatalogRow[] = [];
    const known = new Map<string, KnownRow>();
    for await (const headed of forest.heads()) {
      const { root, head, seq } = headed;
      const before = this.#known.get(root);
      const isSame = before?.seq === seq && (seq !== undefined || isSameHead(before?.head, head));
      const now = before !== undefined && isSame ? before : { head, seq, row: await this.#read(headed) };
      known.set(root, now);
      rows.push(now.row);
    }
    this.#known = known;
    const only = roots && new Set(roots);
    const seen = only === undefined ? rows : rows.filter(({ id }) => only.has(id));
    await projects.prepare(seen.map(({ facts }) => facts));
    return seen;
  }

  async #read(headed: HeadedRoot): Promise<CatalogRow> {
    const summary = await settle(this.#engine, await headed.summarize());
    const { head, seq, root } = headed;
    const isInHead = seq === undefined && head !== undefined;
    return rowOf(
      summary,
      this.#pricing ?? (() => undefined),
      // A summary takes three times as much room as the text that it is read from.
      isInHead ? () => readHead(root, head) ?? summary : () => summary,
    );
  }
}

function isSameHead(one: LogHead | undefined, other: LogHead | undefined): boolean {
  return one !== undefined && other !== undefined && one.time === other.time && one.text === other.text;
}

function rowOf(summary: RootSummary, pricing: Pricing, again: () => RootSummary): CatalogRow {
  const { id, title = '', opening, tags, updated, deleted, archived = false, config, source, spent = [] } = summary;
  const model = source?.model ?? spent.at(-1)?.model;
  const cost = costOf(summary, pricing);
  return {
    id,
    title,
    opening,
    tags,
    updated,
    deleted,
    archived,
    isChild: senderOf(config) !== undefined,
    facts: workFactsOf(summary),
    source: readRootSettings(config).origin?.source ?? 'loom',
    ...(model === undefined || model === '' ? {} : { model }),
    state: stateOf(summary),
    ...(cost === undefined ? {} : { cost }),
    summary: again,
  };
}

/** Returns the state that lists show of a conversation. */
function stateOf({ needs, running, failed, damaged }: RootSummary): RootStateName {
  if (needs.length > 0) return 'waiting';
  if (running.length > 0) return 'running';
  return failed === true || damaged !== undefined ? 'failed' : 'done';
}

function costOf(summary: RootSummary, pricing: Pricing): number | undefined {
  const report = new UsageReport(['conversation']);
  for (const row of summary.spent ?? []) report.add(summary, row);
  const [group] = report.groups(pricing);
  return group === undefined ? summary.usage.cost_usd : group.cost_usd;
}

/** A head lists the turns that ran when it was written. A process that has ended meanwhile no longer runs any. */
export async function settle(engine: LoomEngine, item: RootSummary): Promise<RootSummary> {
  if (item.running.length === 0) return item;
  try {
    const opened = await engine.open(item.id);
    return opened.ok ? summarizeRoot(opened.value) : item;
  } catch (error) {
    if (isAboutOneLog(error)) return item;
    throw error;
  }
}
