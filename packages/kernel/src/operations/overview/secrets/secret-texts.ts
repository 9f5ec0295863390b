import { blobReferences } from '../../../blob-references.ts';
import type { BlobPort } from '../../../blob-port.ts';
import { BlockFollower } from '../../../block-tools/versions/block-versions.ts';
import { contentOf } from '../../../forest/reading/block-place.ts';
import type { Forest } from '../../../forest/forest.ts';
import type { MessageBlock } from '@loom/blocks';
import type { RootState } from '../../../state/root-state.ts';
import type { NodeState } from '../../../state/node-state.ts';

/** Output and files that are larger are not read, in bytes. */
const largestBlob = 8 * 1024 * 1024;

/** The characters of earlier versions that are looked through for each block. */
const mostOfVersions = 8_000_000;

/** The bytes in which a file that is no text shows that it is none. */
const probed = 8_000;

/** Reads what a block keeps apart from its conversation: long output, attached files, and files before and after a change. */
export class BlobTexts {
  readonly #blobs: Pick<BlobPort, 'get' | 'size'>;
  readonly #read = new Set<string>();
  /** The numbers of what was not read. */
  readonly skipped = { large: 0, binary: 0 };

  constructor(blobs: Pick<BlobPort, 'get' | 'size'>) {
    this.#blobs = blobs;
  }

  /** Yields the texts of a block that were not read before. */
  async *of(block: MessageBlock): AsyncGenerator<string> {
    for (const id of blobReferences(block).cited) {
      if (this.#read.has(id)) continue;
      this.#read.add(id);
      const size = await this.#blobs.size(id);
      if (size === undefined) continue;
      if (size > largestBlob) {
        this.skipped.large += 1;
        continue;
      }
      const bytes = isPicture(block) ? undefined : await this.#blobs.get(id);
      if (bytes === undefined || bytes.subarray(0, probed).includes(0)) this.skipped.binary += 1;
      else yield new TextDecoder().decode(bytes);
    }
  }
}

function isPicture(block: MessageBlock): boolean {
  return block.type === 'image' && /^(?:image|audio|video)\/(?!svg)/u.test(block.media_type);
}

/** Returns true if earlier versions of a block may hold words that it has no longer. Text that was only added to has none. */
export function mayHaveLost(state: RootState, { role }: NodeState, block: MessageBlock): boolean {
  if (block.block_id === undefined || (block.version ?? 1) < 2) return false;
  return role === 'user' || state.texts.get(block.block_id)?.hasDocument === true;
}

/**
 * Shows the texts of all versions of some blocks of one conversation, in one walk over its log. Returns the blocks that have more than is
 * looked through.
 */
export async function eachVersion(
  forest: Pick<Forest, 'log'>,
  root: string,
  blocks: readonly string[],
  visit: (block: string, text: string) => void,
): Promise<ReadonlySet<string>> {
  const followed = blocks.map((block) => ({ block, follower: new BlockFollower(block), seen: 0 }));
  const cut = new Set<string>();
  await forest.log(root).past.walk((item, state) => {
    for (const one of followed) {
      const made = one.follower.follow(item, state);
      if (made === undefined) continue;
      const text = contentOf(made.block);
      one.seen += text.length;
      if (one.seen > mostOfVersions) cut.add(one.block);
      else visit(one.block, text);
    }
    return true;
  });
  return cut;
}
