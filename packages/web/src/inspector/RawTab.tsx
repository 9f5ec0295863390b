import type { ReactElement } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { useAsked } from '../stores/use-asked.ts';
import { useStore } from '../stores/use-store.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { CodeText } from './CodeText.tsx';
import { DiffLines } from './DiffLines.tsx';
import { NothingSelected } from './NothingSelected.tsx';
import { laidOut } from './laid-out.ts';
import { useCurrentBlock } from './use-current-block.ts';
import type { CurrentBlock } from './use-current-block.ts';

/** The current message as it is stored, and the exact request and answer of the call that wrote it. */
export function RawTab(): ReactElement {
  const current = useCurrentBlock();
  return current === undefined ? <NothingSelected /> : <RawMessage key={current.node.id} current={current} />;
}

function RawMessage({ current }: { current: CurrentBlock }): ReactElement {
  const { watch } = useConversation();
  const node = useStore(watch.node(current.node.id)) ?? current.node;
  const json = JSON.stringify(node, null, 2);
  return (
    <div className="scroll inspector-scroll">
      {node.source.type === 'model' && <RawCall node={node.id} />}
      <Part title="This message as it is stored" text={json} isOpen={node.source.type !== 'model'} />
    </div>
  );
}

function RawCall({ node }: { node: string }): ReactElement {
  const { ask } = useLoom();
  const call = useAsked(node, () => ask('call.get', { node }));
  const change = useAsked(node, () => ask('call.diff', { node }));
  if (call.failure !== undefined) return <p className="inspector-failure">{call.failure}</p>;
  const { value } = call;
  if (value === undefined) return <p className="inspector-empty">Loading…</p>;
  return (
    <>
      <section className="inspector-section">
        <h2>{value.model === '' ? 'What would be sent' : `${value.provider}/${value.model}`}</h2>
        {value.rebuilt && (
          <p className="inspector-note">
            The original request is no longer kept; this one was rebuilt from the messages.
          </p>
        )}
      </section>
      {value.exchanges.map(({ request, response }, index) => (
        <div key={index}>
          <Part
            title={index === 0 ? 'Request' : `Request, attempt ${index + 1}`}
            text={laidOut(request)}
            isOpen={index === 0}
          />
          {response !== '' && <Part title="Answer" text={laidOut(response)} isOpen={false} />}
        </div>
      ))}
      {change.value?.previous !== undefined && (
        <details className="inspector-section raw-part">
          <summary>Changes since the previous request</summary>
          <DiffLines diff={change.value.diff} />
        </details>
      )}
    </>
  );
}

function Part({ title, text, isOpen }: { title: string; text: string; isOpen: boolean }): ReactElement {
  return (
    <details className="inspector-section raw-part" open={isOpen}>
      <summary>{title}</summary>
      <div className="raw-copy">
        <CopyButton text={text} />
      </div>
      <CodeText label={title}>{text}</CodeText>
    </details>
  );
}
