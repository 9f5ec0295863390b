import { use } from 'react';
import type { ReactElement } from 'react';
import type { ToolUseBlock } from '@loom/blocks';
import type { OpenConversation } from '../../conversation/open-conversation.ts';
import { useAsked } from '../../stores/use-asked.ts';
import { useRested } from '../../stores/use-rested.ts';
import { piecesOfChange } from '../../words/pieces-of-change.ts';
import { useMay } from '../../work/use-may.ts';
import { WorkHostContext } from '../../work/work-host.ts';
import type { WorkHost } from '../../work/work-host.ts';
import { openDraft } from '../drafts/drafts.ts';
import { ChangedText } from '../history/ChangedText.tsx';
import { excerptOf } from '../history/excerpt-of-change.ts';
import { readHistory, readText } from '../history/history-reading.ts';
import { flipEdits } from '../history/take-back.ts';
import { textCallOf, textResultOf } from './text-call.ts';
import '../drafts/drafts.css';

interface TextCallBodyProps {
  call: ToolUseBlock;
  /** The text that the model got as its result. */
  said: string;
}

/** Draws the change that a call made to a text: its difference, which can be taken back alone. Nothing where no conversation is open. */
export function TextCallBody({ call, said }: TextCallBodyProps): ReactElement | null {
  const host = use(WorkHostContext);
  const conversation = host?.conversation.getSnapshot();
  const { block: named } = textCallOf(call.name, call.parameters);
  const { version, block = named } = textResultOf(said);
  if (host === undefined || conversation === undefined || block === undefined) return null;
  const isEdit = named !== undefined && version !== undefined;
  return (
    <div className="tool-body text-call">
      {isEdit && <Difference host={host} block={block} version={version} />}
      <p className="text-call-actions">
        {isEdit && <TakeBack host={host} conversation={conversation} block={block} version={version} />}
        <OpenDraft conversation={conversation} block={block} />
      </p>
    </div>
  );
}

function Difference({ host, block, version }: { host: WorkHost; block: string; version: number }): ReactElement {
  const { value, failure } = useAsked(`${block} ${version}`, async () => {
    const [old, now] = await Promise.all([
      readText(host.call, block, version - 1),
      readText(host.call, block, version),
    ]);
    return excerptOf(piecesOfChange(old, now));
  });
  if (failure !== undefined) return <p className="tool-note">{failure}</p>;
  return <p className="change-words">{value === undefined ? '…' : <ChangedText pieces={value} />}</p>;
}

interface TakeBackProps {
  host: WorkHost;
  conversation: OpenConversation;
  block: string;
  version: number;
}

/** Takes the edit back, or brings it back, and leaves what others wrote. */
function TakeBack({ host, conversation, block, version }: TakeBackProps): ReactElement | null {
  const mayWrite = useMay('block.undo') !== false;
  const newest = useRested(conversation.watch.block(block), 200)?.version ?? version;
  const { value } = useAsked(`${block} ${version} ${newest}`, () => readHistory(host.call, block, version - 1));
  const edit = value?.find((one) => one.version === version)?.edit;
  if (!mayWrite || (edit !== 'done' && edit !== 'undone')) return null;
  const how = edit === 'done' ? 'undo' : 'redo';
  const flip = (): void => host.attempt(() => flipEdits(host.call, { block, versions: new Set([version]), how }));
  return (
    <>
      {edit === 'undone' && <span className="aside">taken back</span>}
      <button type="button" className="text-button" onClick={flip}>
        {edit === 'done' ? 'Take back' : 'Bring back'}
      </button>
    </>
  );
}

function OpenDraft({ conversation, block }: { conversation: OpenConversation; block: string }): ReactElement | null {
  const node = conversation.replica.nodeOf(block);
  if (node === undefined || !conversation.replica.drafts.has(node.id)) return null;
  return (
    <button type="button" className="text-button" onClick={() => openDraft.set(block)}>
      Open the draft
    </button>
  );
}
