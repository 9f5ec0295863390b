import { blocksWithoutTurn } from '@loom/kernel/logs';
import type { RootState } from '@loom/kernel';
import type { Acknowledgement } from './acknowledgement.ts';
import { word } from './acknowledgement.ts';

/** The acknowledgements of writers, one after the other, to compare with the state after a crash. */
export class Acknowledged {
  readonly #said = new Map<string, string>();
  readonly #streamed = new Map<string, string>();
  #pair = 0;
  #root: string | undefined;

  constructor(told: readonly Acknowledgement[] = []) {
    for (const one of told) this.take(one);
  }

  /** The conversation that is written to, once the writer has named it. */
  get root(): string | undefined {
    return this.#root;
  }

  take(told: Acknowledgement): void {
    switch (told.type) {
      case 'ready':
        this.#root = told.root;
        return;
      case 'said':
        this.#said.set(told.node, told.text);
        return;
      case 'pair':
        this.#pair = Math.max(this.#pair, told.number);
        return;
      case 'words':
        this.#streamed.set(told.block, (this.#streamed.get(told.block) ?? '') + told.text);
    }
  }

  /** Returns the acknowledged records that are missing, and those that should not be there. */
  findings(state: RootState): string[] {
    return [
      ...missingMessages(state, this.#said),
      ...missingWords(state, this.#streamed),
      ...wrongPair(state, this.#pair),
      ...leftOpen(state),
    ];
  }
}

function missingMessages(state: RootState, said: ReadonlyMap<string, string>): string[] {
  return [...said].flatMap(([node, text]) => {
    const [block] = state.nodes.get(node)?.blocks ?? [];
    return block?.type === 'text' && block.text === text ? [] : [`${node} should say ${JSON.stringify(text)}`];
  });
}

function missingWords(state: RootState, streamed: ReadonlyMap<string, string>): string[] {
  return [...streamed].flatMap(([id, text]) => {
    const block = state.block(id);
    const found = block?.type === 'text' ? block.text : '';
    if (!found.startsWith(text)) return [`${id} should begin with ${text.length} characters that it was heard to say`];
    return isSpoken(found) ? [] : [`${id} has a hole`];
  });
}

/** Returns true if a text is the beginning of the model's text. */
function isSpoken(text: string): boolean {
  let whole = '';
  for (let index = 0; whole.length < text.length; index += 1) whole += word(index);
  return whole.startsWith(text);
}

function wrongPair(state: RootState, acknowledged: number): string[] {
  const pairs = [...state.nodes.values()].flatMap(({ blocks }) => {
    const [block] = blocks;
    return block?.type === 'text' && block.text.startsWith('pair ') ? [block.text] : [];
  });
  if (pairs.length === 0 && acknowledged > 0) return [`the pair is gone, but ${acknowledged} was acknowledged`];
  return pairs.flatMap((text) => {
    const [one, two] = text.split('\n');
    if (one !== two) return [`half of a batch is there: ${JSON.stringify(text)}`];
    return Number(one?.slice(5)) >= acknowledged ? [] : [`the pair is at ${one}, but ${acknowledged} was acknowledged`];
  });
}

function leftOpen(state: RootState): string[] {
  const running = [...state.nodes.values()].flatMap(({ blocks }) =>
    blocks.flatMap(({ block_id: id, status }) => (status === 'running' ? [`${id} is still running`] : [])),
  );
  const turns = [...state.liveTurns].map((turn) => `${turn} is still open`);
  return [...running, ...turns, ...blocksWithoutTurn(state).map(({ block_id: id }) => `${id} has no turn`)];
}
