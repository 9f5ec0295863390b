import type { ReactElement } from 'react';
import type { RawBlock } from '@loom/blocks';
import { bytes } from '../words/amounts.ts';
import { Icon } from '../ui/Icon.tsx';
import { FoldLine } from './folding/FoldLine.tsx';
import { Output } from './Output.tsx';
import { useFold } from './folding/use-fold.ts';

/** A block that Loom does not know, kept whole. */
export function Raw({ id, block }: { id: string; block: RawBlock }): ReactElement {
  const [isOpen, toggle] = useFold(id);
  const text = JSON.stringify(block.value, null, 2);
  return (
    <section className="tool-card">
      <FoldLine className="tool-line" isOpen={isOpen} onToggle={toggle}>
        <Icon name="raw" />
        <span className="tool-verb">Kept as it came</span>
        <span className="tool-argument">{rawName(block)}</span>
        <span className="tool-facts">{bytes(new Blob([text]).size)}</span>
      </FoldLine>
      {isOpen && <Output id={id} parts={[{ text, isError: false }]} label="What came" />}
    </section>
  );
}

/** Names a raw block by its source and type: `codex · item.completed`. */
function rawName({ source, value }: RawBlock): string {
  const type: unknown = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  return typeof type === 'string' ? `${source} · ${type}` : source;
}
