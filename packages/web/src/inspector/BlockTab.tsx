import type { ReactElement } from 'react';
import { messageWords } from '../conversation/block-words.ts';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { dollars, percent, tokens } from '../words/amounts.ts';
import { exactTime } from '../words/times.ts';
import { FactList } from './FactList.tsx';
import type { Fact } from './FactList.tsx';
import { OriginSection } from './OriginSection.tsx';
import { NothingSelected } from './NothingSelected.tsx';
import { useBlockFacts } from './use-block-facts.tsx';
import { useCurrentBlock } from './use-current-block.ts';
import type { CurrentBlock } from './use-current-block.ts';

/** All facts about the current block and its message. */
export function BlockTab(): ReactElement {
  const current = useCurrentBlock();
  return current === undefined ? <NothingSelected /> : <BlockDetails current={current} />;
}

function BlockDetails({ current }: { current: CurrentBlock }): ReactElement {
  const { workspace } = useLoom();
  const { root } = useConversation().replica;
  const { node } = current;
  const facts = useBlockFacts(current);
  const bookmark = root.bookmarks[node.id];
  const message: Fact[] = [
    { name: 'Begins', value: messageWords(node) },
    { name: 'Added', value: exactTime(node.time) },
    ...usageFacts(current),
    { name: 'Title', value: node.title ?? 'None' },
    { name: 'Tags', value: (node.tags ?? []).join(', ') || 'None' },
    { name: 'Bookmark', value: bookmark === undefined ? 'None' : bookmark || 'Yes' },
    { name: 'Id', value: node.id },
  ];
  return (
    <div className="scroll inspector-scroll">
      <section className="inspector-section">
        <h2>Block</h2>
        <FactList facts={facts} />
      </section>
      <OriginSection />
      <section className="inspector-section">
        <h2>Message</h2>
        <FactList facts={message} />
        <div className="inspector-buttons">
          <button
            type="button"
            className="button"
            onClick={() => workspace.naming.set({ what: 'message', id: node.id })}
          >
            Title and tags…
          </button>
          <button
            type="button"
            className="button"
            onClick={() => workspace.naming.set({ what: 'bookmark', id: node.id })}
          >
            Bookmark…
          </button>
        </div>
      </section>
    </div>
  );
}

/** Returns the usage of the call that wrote a message. */
function usageFacts({ node }: CurrentBlock): Fact[] {
  if (node.source.type !== 'model') return [];
  const { provider, model_name: model, usage, finish_reason: reason } = node.source;
  const name = provider === '' ? model : `${provider}/${model}`;
  const facts: Fact[] = name === '' ? [] : [{ name: 'Model', value: name }];
  if (usage !== undefined) {
    const { input_tokens: input, output_tokens: output, cached_input_tokens: cached = 0, cost_usd: cost } = usage;
    const share = input > 0 && cached > 0 ? `, ${percent(cached / input)} from cache` : '';
    facts.push({ name: 'Read', value: `${tokens(input)} tokens${share}` });
    facts.push({ name: 'Wrote', value: `${tokens(output)} tokens` });
    facts.push({ name: 'Price', value: cost === undefined ? 'price unknown' : dollars(cost) });
  }
  if (reason !== undefined) facts.push({ name: 'Ended with', value: reason });
  return facts;
}
