import { memo, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import type { MessageBlock, ToolUseBlock } from '@loom/blocks';
import { useConversation } from '../app/loom-context.ts';
import { BlockView } from '../blocks/BlockView.tsx';
import { ToolCardView } from '../blocks/tools/ToolCardView.tsx';
import { resultOf } from '../conversation/call-of.ts';
import { useStore } from '../stores/use-store.ts';
import { count } from '../words/amounts.ts';
import type { CompareRow, DiffPair } from './compare-rows.ts';
import { diffWords } from '../words/word-diff.ts';
import type { Piece } from '../words/word-diff.ts';

/** A pair of blocks, or those that are the same and folded. */
export const CompareLine = memo(function CompareLine({ row }: { row: CompareRow }): ReactElement {
  return row.kind === 'pair' ? <Pair pair={row.pair} /> : <SamePairs pairs={row.pairs} />;
});

function SamePairs({ pairs }: { pairs: readonly DiffPair[] }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const words = pairs.length === 1 ? '1 block is the same' : `${count(pairs.length, 'block')} are the same`;
  return (
    <>
      <p className="compare-wide compare-common">
        <span>{words}</span>
        <button type="button" className="text-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Fold' : 'Show'}
        </button>
      </p>
      {isOpen && pairs.map((pair, index) => <Pair key={index} pair={pair} />)}
    </>
  );
}

function Pair({ pair }: { pair: DiffPair }): ReactElement {
  const left = 'left' in pair ? pair.left : undefined;
  const right = 'right' in pair ? pair.right : undefined;
  if (pair.type === 'changed' && left?.block.type === 'text' && right?.block.type === 'text') {
    return <ChangedTexts left={left.block.text} right={right.block.text} />;
  }
  return (
    <>
      <Side shown={left} side="left" />
      <Side shown={right} side="right" />
    </>
  );
}

interface SideProps {
  shown: { node: string; block: MessageBlock } | undefined;
  side: 'left' | 'right';
}

function Side({ shown, side }: SideProps): ReactElement {
  if (shown === undefined) {
    return (
      <div className={`compare-cell compare-gap compare-${side}`}>
        <span className="unseen">Nothing on this side</span>
      </div>
    );
  }
  const { node, block } = shown;
  return (
    <div className={`compare-cell compare-${side}`}>
      {block.type === 'tool-use' ? <ComparedCall node={node} call={block} /> : <BlockView node={node} block={block} />}
    </div>
  );
}

/** A call with its result. */
function ComparedCall({ node, call }: { node: string; call: ToolUseBlock }): ReactElement {
  const { replica, shape, watch } = useConversation();
  const result = useStore(watch.node(resultOf(shape.getSnapshot(), replica.nodes, node, call.id) ?? ''));
  return <ToolCardView call={call} result={result} isLive={false} />;
}

function ChangedTexts({ left, right }: { left: string; right: string }): ReactElement {
  const words = useMemo(() => diffWords(left, right), [left, right]);
  return (
    <>
      <div className="compare-cell compare-left">
        <MarkedText pieces={words.left} />
      </div>
      <div className="compare-cell compare-right">
        <MarkedText pieces={words.right} />
      </div>
    </>
  );
}

function MarkedText({ pieces }: { pieces: readonly Piece[] }): ReactElement {
  return (
    <p className="compare-text">
      {pieces.map(({ text, isSame }, index) =>
        isSame ? <span key={index}>{text}</span> : <mark key={index}>{text}</mark>,
      )}
    </p>
  );
}
