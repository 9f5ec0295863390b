import { editableText } from '@loom/blocks';
import type { TextSplice } from '@loom/blocks';
import { refuse } from '../refusal.ts';
import type { Refusal } from '../refusal.ts';
import { placeOfBlock, refuseMissingBlock } from './block-place.ts';
import { versionsOf } from './block-versions.ts';
import type { BlockVersion } from './block-versions.ts';
import type { RootDirectory } from './root-directory.ts';

type Refused = { ok: false; refusal: Refusal };

/** A version with the text that it left. */
export interface ReadVersion extends BlockVersion {
  text: string;
}

/** What happened to a text since a version of it. */
export interface TextSince {
  /** The text at that version. */
  text: string;
  later: TextSplice[][];
  /** The newest version. */
  version: number;
}

/** Reads earlier versions of blocks from their root's log. */
export class VersionReader {
  readonly #roots: RootDirectory;

  constructor(roots: RootDirectory) {
    this.#roots = roots;
  }

  /** All versions of a block that can be seen, the oldest first. */
  async all(block: string): Promise<ReadVersion[] | Refused> {
    const log = await this.#roots.logOf(block);
    if (log === undefined || placeOfBlock(await log.state(), block) === undefined) return refuseMissingBlock(block);
    const { epoch } = await log.cursor();
    return versionsOf(await log.replay({ epoch, seq: 0 }), block);
  }

  async at(block: string, version: number): Promise<ReadVersion | Refused> {
    const versions = await this.all(block);
    if (!Array.isArray(versions)) return versions;
    return versions.find((read) => read.version === version) ?? refuseVersion(block, version);
  }

  /** What an edit of an older version has to be carried along. */
  async since(block: string, version: number): Promise<TextSince | Refused> {
    const state = await (await this.#roots.logOf(block))?.state();
    const place = state && placeOfBlock(state, block);
    const text = place && editableText(place.block);
    // The newest version needs no look back; what has no text is refused by the edit itself.
    if (text === undefined || place?.block.version === version) return { text: text ?? '', later: [], version };
    const versions = await this.all(block);
    if (!Array.isArray(versions)) return versions;
    const index = versions.findIndex((read) => read.version === version);
    const [base, ...later] = index === -1 ? [] : versions.slice(index);
    if (base === undefined) return refuseVersion(block, version);
    const newest = later.at(-1) ?? base;
    return { text: base.text, later: later.map(({ splices }) => splices), version: newest.version };
  }
}

export function refuseVersion(block: string, version: number): Refused {
  return refuse('version-mismatch', `${block} has no version ${version}; block.history lists those that there are`);
}
