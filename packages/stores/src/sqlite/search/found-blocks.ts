import { searchAllowance } from '@loom/kernel/search';
import type { BlockMatches } from '@loom/kernel/search';

/** What was found in a root, brought into the order of the walk; of very much only what comes first is kept. */
export class FoundBlocks {
  #blocks: RankedBlock[] = [];
  #matches = 0;
  #characters = 0;

  add(rank: number, found: BlockMatches): void {
    this.#blocks.push({ rank, found });
    this.#matches += found.matches.length;
    this.#characters += charactersIn(found);
    if (this.#matches > 2 * mostMatches || this.#characters > 2 * mostCharacters) this.#prune();
  }

  inOrder(): BlockMatches[] {
    return this.#sorted().map(({ found }) => found);
  }

  #sorted(): RankedBlock[] {
    return this.#blocks.sort((a, b) => a.rank - b.rank);
  }

  /** No answer has more than that, and one block more shows that there was more. */
  #prune(): void {
    let [matches, characters, kept] = [0, 0, 0];
    const blocks = this.#sorted();
    for (const { found } of blocks) {
      if (matches > mostMatches || characters > mostCharacters) break;
      matches += found.matches.length;
      characters += charactersIn(found);
      kept += 1;
    }
    this.#blocks = blocks.slice(0, kept);
    [this.#matches, this.#characters] = [matches, characters];
  }
}

interface RankedBlock {
  rank: number;
  found: BlockMatches;
}

function charactersIn({ matches }: BlockMatches): number {
  return matches.reduce((sum, { content }) => sum + content.length, 0);
}

const { matches: mostMatches, characters: mostCharacters } = searchAllowance();
