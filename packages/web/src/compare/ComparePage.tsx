import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import type { ResultOf } from '@loom/kernel';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { NavigatorButton } from '../app/TopBar.tsx';
import { useConversationTitle } from '../app/use-conversation-title.ts';
import { useAsked } from '../stores/use-asked.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { messageWords } from '../conversation/block-words.ts';
import { callOf } from '../conversation/call-of.ts';
import { pathTo } from '../conversation/branches.ts';
import { count } from '../words/amounts.ts';
import { BranchFiles } from './BranchFiles.tsx';
import { BranchHead } from './BranchHead.tsx';
import { CompareLine } from './CompareLine.tsx';
import { changedFiles } from './changed-files.ts';
import type { ChangedFile } from './changed-files.ts';
import { compareRows, withoutResults } from './compare-rows.ts';
import type { ComparedBlock, DiffPair } from './compare-rows.ts';

/** Two branches side by side, block by block, from where they part. */
export function ComparePage({ left, right }: { left: string; right: string }): ReactElement {
  const loom = useLoom();
  const conversation = useConversation();
  const { root } = conversation;
  const title = useConversationTitle() || 'Conversation';
  const shape = useStore(conversation.shape);
  const [onlyDifferences, setOnlyDifferences] = useState(false);
  const { value, failure } = useAsked(`${left} ${right} ${shape.nodes.size}`, () =>
    loom.ask('tree.diff', { left, right }),
  );
  const sides = useSides(value);
  const show = (one: string, other: string): void =>
    loom.go({ name: 'compare', root, left: one, right: other }, { replace: true });
  return (
    <main id="main" tabIndex={-1} className="main">
      <header className="top-bar">
        <NavigatorButton />
        <h1 className="cut">{title}</h1>
        <span className="top-bar-branch cut">Compare two branches</span>
        <span className="grow" />
        <div className="segments" role="group" aria-label="What is shown">
          <button type="button" aria-pressed={!onlyDifferences} onClick={() => setOnlyDifferences(false)}>
            Aligned
          </button>
          <button type="button" aria-pressed={onlyDifferences} onClick={() => setOnlyDifferences(true)}>
            Only what differs
          </button>
        </div>
        <IconButton icon="swap" label="Swap sides" onClick={() => show(right, left)} />
        <IconButton icon="close" label="Close" onClick={() => loom.go({ name: 'conversation', root, node: right })} />
      </header>
      <div className="compare scroll">
        <BranchHead node={left} side="left" from={value?.left} onChoose={(leaf) => show(leaf, right)} />
        <BranchHead node={right} side="right" from={value?.right} onChoose={(leaf) => show(left, leaf)} />
        {failure !== undefined && <p className="compare-wide inspector-failure">{failure}</p>}
        {value !== undefined && (
          <>
            <CommonPart ancestor={value.ancestor} messages={pathTo(shape, value.ancestor).length} />
            {compareRows(sides.pairs, onlyDifferences).map((row) => (
              <CompareLine key={row.key} row={row} />
            ))}
            <BranchFiles left={sides.left} right={sides.right} />
            {value.blocks.length === 0 && <p className="compare-wide compare-empty">Both branches are the same.</p>}
          </>
        )}
      </div>
    </main>
  );
}

/** Returns the rows of a comparison, once the messages of both branches are loaded: calls with their results, and the files of each side. */
function useSides(value: ResultOf<'tree.diff'> | undefined): Sides {
  const { replica, rows } = useConversation();
  // Drawn again when messages have come.
  useStore(rows);
  const ids = value === undefined ? [] : [...value.left, ...value.right];
  const missing = ids.filter((id) => !replica.nodes.has(id)).join(' ');
  useEffect(() => {
    if (missing !== '') replica.want(missing.split(' '));
  }, [replica, missing]);
  const isDrawnWithCall = ({ node }: ComparedBlock): boolean => {
    const state = replica.nodes.get(node);
    return state !== undefined && callOf(replica.nodes, state) !== undefined;
  };
  const blocksOf = (side: readonly string[] = []) => side.flatMap((id) => replica.nodes.get(id)?.blocks ?? []);
  return {
    pairs: withoutResults(value?.blocks ?? [], isDrawnWithCall),
    left: changedFiles(blocksOf(value?.left)),
    right: changedFiles(blocksOf(value?.right)),
  };
}

interface Sides {
  readonly pairs: readonly DiffPair[];
  readonly left: readonly ChangedFile[];
  readonly right: readonly ChangedFile[];
}

function CommonPart({ ancestor, messages }: { ancestor: string; messages: number }): ReactElement {
  const { go } = useLoom();
  const conversation = useConversation();
  const node = useStore(conversation.watch.node(ancestor));
  if (messages === 0) return <p className="compare-wide compare-common">Nothing in common</p>;
  return (
    <p className="compare-wide compare-common">
      <Icon name="right" small />
      <span className="cut">
        {count(messages, 'message')} in common{node === undefined ? '' : `, up to “${messageWords(node)}”`}
      </span>
      <button
        type="button"
        className="text-button"
        onClick={() => go({ name: 'conversation', root: conversation.root, node: ancestor })}
      >
        Show
      </button>
    </p>
  );
}
