import * as fc from 'fast-check';
import type { Message } from '@loom/blocks';
import { decideMarkNode } from '../editing/marks.ts';
import { subtree } from '../../state/tree/queries.ts';
import { pathTo } from '../../state/tree/tree.ts';
import { decideEditNode } from '../editing/text/edit-node.ts';
import type { EditMode } from '../editing/text/edit-node.ts';
import { decideRemove } from '../editing/remove.ts';
import { assistant, calling, result, TestRoot, user } from './test-root.ts';

/** Text that often begins alike, with everything in it that must not be cut. */
export const anyPhrase = fc
  .array(fc.constantFrom('a', 'b', 'ab ', '\r\n', '\r', '\n', '😀', '😃', '👩‍👧', 'é', ' '), {
    minLength: 1,
    maxLength: 8,
  })
  .map((pieces) => pieces.join(''));

/** Text that says something. */
export const anySpeech = fc.tuple(fc.constantFrom('a', 'b', '😀', ''), anyPhrase).map(([start, phrase]) => {
  const text = start + phrase;
  return /\S/.test(text) ? text : `x${text}`;
});

type Step =
  | { type: 'say'; at: number; role: 'user' | 'assistant'; texts: string[] }
  | { type: 'call'; at: number; text: string; answers: number }
  | { type: 'show'; at: number; text: string }
  | { type: 'hide'; at: number; block: number; start: boolean }
  | { type: 'edit'; at: number; texts: string[]; mode: EditMode }
  | { type: 'delete'; at: number };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('say' as const),
      at: fc.nat(),
      role: fc.constantFrom('user' as const, 'assistant' as const),
      texts: fc.array(anySpeech, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('call' as const), at: fc.nat(), text: anySpeech, answers: fc.nat(2) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('show' as const), at: fc.nat(), text: anySpeech }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('hide' as const), at: fc.nat(), block: fc.nat(), start: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('edit' as const),
      at: fc.nat(),
      texts: fc.array(anySpeech, { minLength: 1, maxLength: 2 }),
      mode: fc.constantFrom('split' as const, 'split' as const, 'sibling' as const, 'in-place' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('delete' as const), at: fc.nat() }) },
);

/** The history of a root: branches, calls and results, images, hidden blocks, splits and tombstones. */
export const anyHistory: fc.Arbitrary<Step[]> = fc.array(anyStep, { minLength: 1, maxLength: 16 });

/** The root with a history. */
export function growRoot(history: readonly Step[]): TestRoot {
  const root = new TestRoot();
  root.append('root-1', user('ab hello'), assistant('ab yes', 'and'), user('a😀'));
  for (const step of history) takeStep(root, step);
  return root;
}

/** One of the nodes that can be seen, by any number. */
export function pickNode(
  root: TestRoot,
  number: number,
  fits: (id: string) => boolean = () => true,
): string | undefined {
  const ids = subtree(root.state, root.state.id).flatMap(({ id }) => (fits(id) ? [id] : []));
  return ids[number % ids.length];
}

function takeStep(root: TestRoot, step: Step): void {
  const at = pickNode(root, step.at);
  if (at === undefined) {
    root.append('root-1', user('ab again'));
    return;
  }
  switch (step.type) {
    case 'say': {
      const say = step.role === 'user' ? user : assistant;
      root.append(at, say(...step.texts));
      return;
    }
    case 'call': {
      const calls = ['one', 'two'].slice(0, step.answers).map((name) => `${name}-${root.state.seq}`);
      root.append(at, calling(step.text, ...calls), ...calls.map((call): Message => result(call)));
      return;
    }
    case 'show':
      root.append(at, {
        role: 'user',
        content: [
          { type: 'text', text: step.text },
          { type: 'image', media_type: 'image/png', url: 'https://example.org/a.png' },
        ],
      });
      return;
    case 'hide': {
      const blocks = pathTo(root.state, at).flatMap((node) => node.blocks.flatMap(({ block_id: id }) => id ?? []));
      const exclude = blocks.length === 0 ? [] : [blocks[step.block % blocks.length] ?? ''];
      const start = step.start && root.state.nodes.get(at)?.role !== 'tool';
      root.done(decideMarkNode(root.state, 'anna', start ? { node: at, context_start: true } : { node: at, exclude }));
      return;
    }
    case 'edit': {
      const content = step.texts.map((text) => ({ type: 'text' as const, text }));
      root.done(decideEditNode(root.state, 'anna', { node: at, content, mode: step.mode }, root.editor));
      return;
    }
    case 'delete':
      root.done(decideRemove(root.state, 'anna', { node: at, children: 'remove' }));
      return;
  }
}
