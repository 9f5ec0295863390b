import type { ReactElement } from 'react';
import type { ThinkingBlock } from '@loom/blocks';
import { useStore } from '../stores/use-store.ts';
import { ticking } from '../words/ticking.ts';
import { wholeSeconds } from '../words/times.ts';
import { Markdown } from '../markdown/Markdown.tsx';
import { FoldLine } from './folding/FoldLine.tsx';
import { useFold } from './folding/use-fold.ts';

/** The thinking of a model: one line that can be opened. */
export function Thinking({ block, isUnsent = false }: { block: ThinkingBlock; isUnsent?: boolean }): ReactElement {
  const [isOpen, toggle] = useFold(block.block_id ?? '');
  const isRunning = block.status === 'running';
  return (
    <div className="thinking">
      <FoldLine className="thinking-line" isOpen={isOpen} onToggle={block.text === '' ? undefined : toggle}>
        {isRunning && <span className="mark mark-model mark-running" />}
        {isRunning ? <ThinkingTime since={block.created_at} /> : <span>{thoughtWords(block)}</span>}
        {isUnsent && <span>· no longer sent</span>}
      </FoldLine>
      {isOpen && block.text !== '' && (
        <div className="thinking-body">
          <Markdown text={block.text} isGrowing={isRunning} />
        </div>
      )}
    </div>
  );
}

function ThinkingTime({ since }: { since: string | undefined }): ReactElement {
  const now = useStore(ticking);
  const time = since === undefined ? '' : ` ${wholeSeconds(now - Date.parse(since))}`;
  return <span className="figures">Thinking…{time}</span>;
}

function thoughtWords({ text, created_at, ended_at }: ThinkingBlock): string {
  if (text === '') return 'Thought, and kept it to itself';
  if (created_at === undefined || ended_at === undefined) return 'Thought';
  return `Thought for ${wholeSeconds(Date.parse(ended_at) - Date.parse(created_at))}`;
}
