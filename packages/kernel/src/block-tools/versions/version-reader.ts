import { editableText } from '@loom/blocks';
import type { TextSplice } from '@loom/blocks';
import { refuse } from '../../refusal.ts';
import type { Refused } from '../../refusal.ts';
import { placeOfBlock, refuseMissingBlock } from '../../forest/reading/block-place.ts';
import { contentOf } from '../../forest/reading/block-place.ts';
import { BlockFollower } from './block-versions.ts';
import type { BlockVersion } from './block-versions.ts';
import { editMadeBy } from './made-edits.ts';
import type { MadeEdit } from './made-edits.ts';
import { RecentVersions, rowOf } from './recent-versions.ts';
import type { VersionRow } from './recent-versions.ts';
import type { RootDirectory } from '../root-directory.ts';

/** The edits of a text since one of its versions. */
export interface TextSince {
  /** The text at that version. */
  text: string;
  later: TextSplice[][];
  /** The newest version. */
  version: number;
}

/** Reads earlier versions of blocks from their root's log, one after the other: a long history is never there as a whole. */
export class VersionReader {
  readonly #roots: RootDirectory;

  constructor(roots: RootDirectory) {
    this.#roots = roots;
  }

  /** Shows the versions of a block that can be seen, the oldest first, until `visit` returns false. */
  async each(block: string, visit: (version: BlockVersion) => boolean): Promise<Refused | undefined> {
    const log = await this.#roots.logOf(block);
    if (log === undefined) return refuseMissingBlock(block);
    const { value: refused } = await log.read((state) =>
      placeOfBlock(state, block) === undefined ? refuseMissingBlock(block, state) : undefined,
    );
    if (refused !== undefined) return refused;
    const follower = new BlockFollower(block);
    await log.past.walk((item, state) => {
      const made = follower.follow(item, state);
      return made === undefined || visit(made);
    });
    return undefined;
  }

  /** The newest versions of a block before one of them, the oldest first. Reads as far back as they go, if edits made them. */
  async newest(block: string, before: number, limit: number): Promise<VersionRow[] | Refused> {
    const log = await this.#roots.logOf(block);
    if (log === undefined) return refuseMissingBlock(block);
    const { cursor, value: place } = await log.read((state) => placeOfBlock(state, block));
    if (place !== undefined && limit > 0) {
      const recent = new RecentVersions(place.block, before, limit);
      const outcome = { isComplete: false };
      await log.past.walkBack(cursor, (change) => {
        const found = recent.take(change);
        outcome.isComplete = found === 'complete';
        return found === 'more';
      });
      if (outcome.isComplete) return recent.rows;
    }
    const rows: VersionRow[] = [];
    const refused = await this.each(block, (made) => {
      if (made.version >= before) return false;
      rows.push(rowOf(made));
      if (rows.length > limit) rows.shift();
      return true;
    });
    return refused ?? rows;
  }

  /** The edit that made a version; refused if there is no such version or something else made it. */
  async editAt(block: string, version: number): Promise<MadeEdit | undefined | Refused> {
    const rows = await this.newest(block, version + 1, 1);
    if ('refusal' in rows) return rows;
    const row = rows.at(-1);
    if (row?.version !== version) return refuseVersion(block, version);
    return (await this.editsOf(block, [row])).get(row.seq);
  }

  /** The edits that made some versions, by their changes. Reads the log backward as far as the oldest of them. */
  async editsOf(block: string, rows: readonly VersionRow[]): Promise<Map<number, MadeEdit>> {
    const made = new Map<number, MadeEdit>();
    const log = rows.length === 0 ? undefined : await this.#roots.logOf(block);
    if (log === undefined) return made;
    const wanted = new Set(rows.map(({ seq }) => seq));
    const [oldest, newest] = [Math.min(...wanted), Math.max(...wanted)];
    const { epoch } = (await log.read(() => undefined)).cursor;
    await log.past.walkBack({ epoch, seq: newest }, (change) => {
      const edit = wanted.has(change.seq) ? editMadeBy(change, block) : undefined;
      if (edit !== undefined) made.set(change.seq, edit);
      return change.seq > oldest;
    });
    return made;
  }

  async at(block: string, version: number): Promise<BlockVersion | Refused> {
    let found: BlockVersion | undefined;
    const refused = await this.each(block, (made) => {
      if (made.version === version) found = made;
      return found === undefined;
    });
    return refused ?? found ?? refuseVersion(block, version);
  }

  /** Two versions of a block, the second one by default the newest. */
  async pair(
    block: string,
    from: number,
    to: number | undefined,
  ): Promise<{ before: BlockVersion; after: BlockVersion } | Refused> {
    const found: { before?: BlockVersion; after?: BlockVersion } = {};
    const refused = await this.each(block, (made) => {
      if (made.version === from) found.before = made;
      if (to === undefined || made.version === to) found.after = made;
      return found.before === undefined || found.after?.version !== to;
    });
    if (refused !== undefined) return refused;
    const { before, after } = found;
    if (before === undefined) return refuseVersion(block, from);
    return after === undefined ? refuseVersion(block, to ?? from) : { before, after };
  }

  /** Returns the edits over which an edit of an older version has to be carried. */
  async since(block: string, version: number): Promise<TextSince | Refused> {
    const log = await this.#roots.logOf(block);
    const place = (await log?.read((state) => placeOfBlock(state, block)))?.value;
    const text = place && editableText(place.block);
    // The newest version needs no look back; the edit itself refuses a block without text.
    if (text === undefined || place?.block.version === version) return { text: text ?? '', later: [], version };
    let since: TextSince | undefined;
    const refused = await this.each(block, (made) => {
      if (since !== undefined) {
        since.later.push(made.splices);
        since.version = made.version;
      } else if (made.version === version) {
        since = { text: contentOf(made.block), later: [], version };
      }
      return true;
    });
    return refused ?? since ?? refuseVersion(block, version);
  }
}

function refuseVersion(block: string, version: number): Refused {
  return refuse({ reason: 'version-not-found', block, version });
}
