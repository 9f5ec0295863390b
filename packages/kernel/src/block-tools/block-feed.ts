import type { z } from 'zod';
import type { FeedEvent } from '../state/feed.ts';
import type { RootLog } from '../forest/forest.ts';
import type { FeedItem } from '../log/log-shape.ts';
import type { Refused } from '../refusal.ts';
import type { RootState } from '../state/root-state.ts';
import { visibleBlocks } from '../forest/reading/block-walk.ts';
import { snapshotBlock } from './block-list.ts';
import { patchesOf, wholePatch } from './block-patches.ts';
import { refuseMissingBlock, rootOfId } from '../forest/reading/block-place.ts';
import { BlockFollower } from './versions/block-versions.ts';
import type { BlockVersion } from './versions/block-versions.ts';
import type { RootDirectory } from './root-directory.ts';
import type { BlockPatch, BlockSnapshot, subscribeParams, syncParams } from './schemas.ts';

/**
 * Reports every change of some blocks, or of all, from now on or from the versions that the caller knows. Resolves once the
 * missed changes have been sent; returns a function that stops it. Refuses a block that never existed: its subscriber would
 * wait forever.
 */
export async function subscribeToBlocks(
  roots: RootDirectory,
  { block_ids: ids = [], from_versions: known = [] }: z.infer<ReturnType<typeof subscribeParams>>,
  listener: (patch: BlockPatch) => void,
): Promise<(() => void) | Refused> {
  const wanted = new Set(ids);
  const unknown = await refuseUnknown(roots, wanted.difference(new Map(known)));
  if (unknown !== undefined) return unknown;
  const isWanted = (id: string): boolean => wanted.size === 0 || wanted.has(id);
  const feeds = new Map<string, BlockFeed>();
  let isStopped = false;
  const follow = async (root: string, isNew: boolean): Promise<void> => {
    const log = feeds.has(root) ? undefined : await roots.logOf(root);
    if (log === undefined || feeds.has(root) || isStopped) return;
    const versions = known.filter(([block]) => rootOfId(block) === root && isWanted(block));
    const feed = new BlockFeed(log, isWanted, new Map(versions), listener);
    feeds.set(root, feed);
    await feed.start(isNew);
  };
  // First, so that a conversation that begins meanwhile is not missed; a caller that asks for some blocks wants no others.
  const stopListening = wanted.size > 0 ? () => {} : roots.subscribe((root) => void follow(root, true).catch(() => {}));
  const stop = (): void => {
    isStopped = true;
    stopListening();
    for (const feed of feeds.values()) feed.stop();
  };
  try {
    for (const root of wanted.size > 0 ? new Set(ids.map(rootOfId)) : await roots.all()) await follow(root, false);
  } catch (error) {
    stop();
    throw error;
  }
  return stop;
}

/** Blocks that are hidden or deleted may come back, so only those that are in no conversation are refused. */
async function refuseUnknown(roots: RootDirectory, ids: ReadonlySet<string>): Promise<Refused | undefined> {
  for (const id of ids) {
    const log = await roots.logOf(id);
    if (log === undefined) return refuseMissingBlock(id);
    const { value } = await log.read((state) =>
      state.block(id) === undefined ? refuseMissingBlock(id, state) : undefined,
    );
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Returns the changes that a caller with some blocks at some versions is missing, and the blocks created since. */
export async function syncBlocks(
  roots: RootDirectory,
  { versions }: z.infer<ReturnType<typeof syncParams>>,
): Promise<{ patches: BlockPatch[]; new_blocks: BlockSnapshot[] }> {
  const known = new Map(versions);
  const result: { patches: BlockPatch[]; new_blocks: BlockSnapshot[] } = { patches: [], new_blocks: [] };
  const names = versions.length > 0 ? new Set(versions.map(([block]) => rootOfId(block))) : await roots.all();
  for (const root of names) {
    const log = await roots.logOf(root);
    const ofRoot = new Map([...known].filter(([block]) => rootOfId(block) === root));
    if (log === undefined) {
      result.patches.push(...[...ofRoot.keys()].map(removedPatch));
      continue;
    }
    const { value, cursor } = await log.read((state) => ({
      ...compare(state, ofRoot),
      newBlocks: [...visibleBlocks(state)]
        .filter(({ block }) => !known.has(block.block_id ?? ''))
        .map(({ node, block, index }) => snapshotBlock(state, node, block, index)),
    }));
    result.patches.push(...value.gone.map(removedPatch), ...(await patchesSince(log, cursor, value.behind, ofRoot)));
    result.new_blocks.push(...value.newBlocks);
  }
  return result;
}

/** Follows the blocks of one root for one subscriber. */
class BlockFeed {
  readonly #log: RootLog;
  readonly #isWanted: (id: string) => boolean;
  /** The version of each block that the subscriber knows. Blocks that it has not heard of yet are missing. */
  readonly #told: Map<string, number>;
  readonly #listener: (patch: BlockPatch) => void;
  readonly #waiting: FeedItem<FeedEvent>[] = [];
  #isBusy = true;
  #isStopped = false;
  #unsubscribe = (): void => {};

  constructor(
    log: RootLog,
    isWanted: (id: string) => boolean,
    known: ReadonlyMap<string, number>,
    listener: (patch: BlockPatch) => void,
  ) {
    this.#log = log;
    this.#isWanted = isWanted;
    this.#told = new Map(known);
    this.#listener = listener;
  }

  /** Reports the missed changes, which are all of them in a new conversation, and from then on every new one. */
  async start(isNew: boolean): Promise<void> {
    const isResumed = isNew || this.#told.size > 0;
    const known = new Map(this.#told);
    const { cursor, value } = await this.#log.read((state) => {
      // Nothing can come between the read and the first event here.
      if (!this.#isStopped) this.#unsubscribe = this.#log.subscribe((item) => this.#hear(item));
      const { behind, gone, fresh } = compare(state, known, this.#isWanted);
      if (!isResumed) for (const { block_id: id, version } of fresh) this.#told.set(id, version);
      return { behind, gone, fresh: isResumed ? fresh : [] };
    });
    const missed = await patchesSince(this.#log, cursor, value.behind, known);
    this.#tell([...value.gone.map(removedPatch), ...missed, ...value.fresh]);
    await this.#catchUp();
  }

  stop(): void {
    this.#isStopped = true;
    this.#unsubscribe();
  }

  #hear(item: FeedItem<FeedEvent>): void {
    this.#waiting.push(item);
    if (!this.#isBusy) void this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    this.#isBusy = true;
    try {
      for (let item = this.#waiting[0]; item !== undefined; item = this.#waiting[0]) {
        const hasMoved = movesBlocks(item);
        if (hasMoved && !(await this.#reconcile())) return;
        this.#waiting.shift();
        if (!hasMoved && item.type === 'change') this.#tell(patchesOf(item.events));
      }
    } finally {
      this.#isBusy = false;
    }
  }

  /**
   * Whole nodes came, went or were cut: what the subscriber knows is compared with what there is. False if the store fails:
   * then it is tried again with the next change.
   */
  async #reconcile(): Promise<boolean> {
    const read = await this.#log.read((state) => compare(state, this.#told, this.#isWanted)).catch(() => undefined);
    if (read === undefined) return false;
    const { behind, gone, fresh } = read.value;
    this.#tell([...gone.map(removedPatch), ...behind.map(({ patch }) => patch), ...fresh]);
    return true;
  }

  #tell(patches: readonly BlockPatch[]): void {
    for (const patch of patches) {
      const { block_id: id, version } = patch;
      if (this.#isStopped || !this.#isWanted(id)) continue;
      const known = this.#told.get(id);
      // A patch without the whole block is of no use to a subscriber that does not know the block.
      if (known === undefined && patch.content === undefined) continue;
      if (patch.removed === true) {
        this.#told.delete(id);
      } else {
        if (version <= (known ?? 0)) continue;
        this.#told.set(id, version);
      }
      try {
        this.#listener(patch);
      } catch (error) {
        this.#log.listenerFailed(error);
      }
    }
  }
}

interface Comparison {
  /** Blocks that have been changed since, as they are now. */
  behind: { id: string; patch: BlockPatch }[];
  /** Blocks that are no longer visible. */
  gone: string[];
  /** Blocks that are not known. */
  fresh: BlockPatch[];
}

function compare(
  state: RootState,
  known: ReadonlyMap<string, number>,
  isWanted: (id: string) => boolean = () => true,
): Comparison {
  const comparison: Comparison = { behind: [], gone: [], fresh: [] };
  const gone = new Set(known.keys());
  for (const { block } of visibleBlocks(state)) {
    const { block_id: id = '', version = 1 } = block;
    gone.delete(id);
    if (!isWanted(id)) continue;
    const told = known.get(id);
    if (told === undefined) comparison.fresh.push(wholePatch(block));
    else if (told < version) comparison.behind.push({ id, patch: wholePatch(block) });
  }
  comparison.gone.push(...gone);
  return comparison;
}

/** The changes of blocks after the versions that are known, up to a place in the log, one patch for each version. */
async function patchesSince(
  log: RootLog,
  cursor: { epoch: string; seq: number },
  behind: Comparison['behind'],
  known: ReadonlyMap<string, number>,
): Promise<BlockPatch[]> {
  if (behind.length === 0) return [];
  const followed = behind.map(({ id, patch }): Missed => ({ id, patch, follower: new BlockFollower(id), patches: [] }));
  await log.past.walk((item, state) => {
    if (item.epoch !== cursor.epoch) return false;
    for (const { id, follower, patches } of followed) {
      const made = follower.follow(item, state);
      if (made !== undefined && made.version > (known.get(id) ?? 0)) patches.push(patchOf(id, made));
    }
    return item.seq < cursor.seq;
  });
  // Otherwise the log has started over since, and its past with it.
  const isWhole = ({ patches, patch }: Missed): boolean => patches.at(-1)?.version === patch.version;
  return followed.flatMap((missed) => (isWhole(missed) ? missed.patches : [missed.patch]));
}

/** A block that was changed since, as it is now, and its changes one by one. */
interface Missed {
  id: string;
  patch: BlockPatch;
  follower: BlockFollower;
  patches: BlockPatch[];
}

function patchOf(id: string, { version, splices, status, update }: BlockVersion): BlockPatch {
  const patch: BlockPatch = { block_id: id, version, status };
  if (splices.length > 0) patch.changes = splices;
  if (update !== undefined) patch.update = update;
  return patch;
}

/** Returns true if blocks may have come into sight or gone from it without being named. */
function movesBlocks(item: FeedItem<FeedEvent>): boolean {
  if (item.type === 'resync') return true;
  if (item.type === 'cursor') return false;
  const types = new Set(item.events.map(({ type }) => type));
  if (types.has('node-removed') || types.has('node-restored')) return true;
  if (item.events.some((event) => event.type === 'root-changed' && event.deleted !== undefined)) return true;
  // A node that was cut is sent together with its other half.
  return types.has('node-changed') && types.has('node-added');
}

function removedPatch(id: string): BlockPatch {
  return { block_id: id, version: 0, removed: true };
}
