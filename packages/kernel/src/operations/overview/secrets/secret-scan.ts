import { findSecrets, isPurged, maskFound } from '@loom/blocks';
import type { FoundSecret, MessageBlock } from '@loom/blocks';
import { contentOf } from '../../../forest/reading/block-place.ts';
import { visibleBlocks } from '../../../forest/reading/block-walk.ts';
import type { JobHandle } from '../../../jobs/jobs.ts';
import type { NodeState } from '../../../state/node-state.ts';
import type { LoomEngine } from '../../calling/engine.ts';
import { secretPlace } from './secret-place.ts';
import type { SecretReport } from './secret-report.ts';
import { BlobTexts, eachVersion, mayHaveLost } from './secret-texts.ts';

type Scanned = Pick<LoomEngine, 'forest' | 'pause' | 'blobs'>;
type Part = SecretReport['found'][number]['part'];

const mostFound = 5_000;

/** The number of characters that are looked through in one go. */
const mostUnpaused = 500_000;

/** A block of a conversation, and whether words were taken out of it. */
interface Text {
  node: NodeState;
  block: MessageBlock;
  isEdited: boolean;
}

/** Looks through conversations, one after the other; others have the processor in between. */
export async function scanRoots(
  engine: Scanned,
  roots: readonly string[],
  { signal, report }: JobHandle,
): Promise<SecretReport> {
  const scan = new Scan(engine);
  for (const [index, root] of roots.entries()) {
    if (signal.aborted) return { ...scan.report, cancelled: true };
    report(`Looked through ${index} of ${roots.length} conversations`, index / roots.length);
    await scan.root(root);
  }
  return scan.report;
}

class Scan {
  readonly report: SecretReport = {
    roots: 0,
    blocks: 0,
    found: [],
    more: 0,
    unread: [],
    skipped: { large: 0, binary: 0, versions: 0 },
    cancelled: false,
  };
  readonly #engine: Scanned;
  #unpaused = 0;

  constructor(engine: Scanned) {
    this.#engine = engine;
  }

  async root(root: string): Promise<void> {
    const { forest, blobs } = this.#engine;
    const texts = await forest.readUnlessDamaged(root, (state) =>
      Array.from(visibleBlocks(state), ({ node, block }): Text => {
        return { node, block, isEdited: mayHaveLost(state, node, block) };
      }),
    );
    if (texts === undefined) {
      this.report.unread.push(root);
      return;
    }
    this.report.roots += 1;
    const kept = new BlobTexts(blobs);
    const edited = new Map<string, { text: Text; values: Set<string> }>();
    for (const text of texts) {
      const { block, isEdited } = text;
      if (isPurged(block)) continue;
      this.report.blocks += 1;
      const values = await this.#look(root, text, 'text', contentOf(block));
      const part = block.type === 'command' ? 'output' : 'file';
      for await (const content of kept.of(block)) await this.#look(root, text, part, content);
      if (isEdited) edited.set(block.block_id ?? '', { text, values });
    }
    this.report.skipped.large += kept.skipped.large;
    this.report.skipped.binary += kept.skipped.binary;
    if (edited.size > 0) await this.#lookBack(root, edited);
  }

  /** Lists what earlier versions had and the present ones have no longer, each value once. */
  async #lookBack(root: string, edited: ReadonlyMap<string, { text: Text; values: Set<string> }>): Promise<void> {
    const cut = await eachVersion(this.#engine.forest, root, [...edited.keys()], (id, content) => {
      const known = edited.get(id);
      if (known === undefined) return;
      for (const secret of findSecrets(content)) {
        const value = content.slice(secret.start, secret.end);
        if (known.values.has(value)) continue;
        known.values.add(value);
        this.#note(root, known.text, 'version', content, secret);
      }
    });
    this.report.skipped.versions += cut.size;
  }

  /** Lists what is in a text. Returns the values, for this process alone. */
  async #look(root: string, text: Text, part: Part, content: string): Promise<Set<string>> {
    this.#unpaused += content.length;
    if (this.#unpaused > mostUnpaused) {
      this.#unpaused = 0;
      await this.#engine.pause();
    }
    const values = new Set<string>();
    for (const secret of findSecrets(content)) {
      values.add(content.slice(secret.start, secret.end));
      this.#note(root, text, part, content, secret);
    }
    return values;
  }

  #note(root: string, { node, block }: Text, part: Part, content: string, secret: FoundSecret): void {
    const { found } = this.report;
    if (found.length === mostFound) {
      this.report.more += 1;
      return;
    }
    const line = content.slice(0, secret.start).split('\n').length - 1;
    const { kind } = secret;
    const place = secretPlace(node, block);
    const masked = maskFound(content, secret);
    found.push({ root, node: node.id, block: block.block_id ?? '', ...place, part, line, kind, masked });
  }
}
