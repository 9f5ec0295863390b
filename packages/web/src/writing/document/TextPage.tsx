import { useEffect, useMemo, useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { flushSync } from 'react-dom';
import { EditorView } from '@codemirror/view';
import type { OpenConversation } from '../../conversation/open-conversation.ts';
import { useAsked } from '../../stores/use-asked.ts';
import { usePart } from '../../stores/use-part.ts';
import { useRested } from '../../stores/use-rested.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { count } from '../../words/amounts.ts';
import { useWorkHost } from '../../work/work-host.ts';
import { saveText } from '../drafts/draft-actions.ts';
import { nameOfText } from '../drafts/drafts.ts';
import { WhoIsHere } from '../presence/WhoIsHere.tsx';
import { useKeptTexts } from '../kept-texts.ts';
import { useTextEditor } from '../use-text-editor.ts';
import { WritingArea } from '../WritingArea.tsx';
import { WritingStrip } from '../WritingStrip.tsx';
import { FindBar } from './FindBar.tsx';
import { headingsOf, WordCounter } from './outline.ts';
import type { Heading } from './outline.ts';
import '../drafts/drafts.css';

interface TextPageProps {
  conversation: OpenConversation;
  block: string;
  onLeave: () => void;
}

/** A text of a conversation alone on the page. */
export function TextPage({ conversation, block, onLeave }: TextPageProps): ReactElement {
  const { call } = useWorkHost();
  const isKnown = usePart(conversation.watch.block(block), (known) => known !== undefined);
  const status = usePart(conversation.watch.whole, (whole) => whole.status);
  // A message far from the end of the branch is not loaded with the conversation.
  const isMissing = !isKnown && status === 'live';
  const { value, failure } = useAsked(isMissing ? block : undefined, () => call('block.locate', { blocks: [block] }));
  const node = value?.places[0]?.node;
  useEffect(() => {
    if (node !== undefined) conversation.want(node);
  }, [conversation, node]);
  const isKept = useKeptTexts(conversation).includes(block);
  if (isKnown || isKept) return <OpenText conversation={conversation} block={block} onLeave={onLeave} />;
  const isGone = value !== undefined && node === undefined;
  return (
    <main id="main" tabIndex={-1} className="main">
      <header className="top-bar">
        <IconButton icon="left" label="Back to the conversation" onClick={onLeave} />
        <h1>Text</h1>
      </header>
      <p className="middle">
        {failure ??
          (isGone || status === 'refused'
            ? 'This text no longer exists, or you do not have access to it.'
            : 'Loading…')}
      </p>
    </main>
  );
}

function OpenText({ conversation, block, onLeave }: TextPageProps): ReactElement {
  const isCode = usePart(conversation.watch.block(block), (known) => known?.type === 'code');
  const draft = conversation.replica.drafts.get(conversation.nodeOfBlock(block) ?? '');
  // A long text is gone through when typing rests, and not with each key.
  const text = useRested(conversation.watch.text(block), 250) ?? '';
  const [hasFind, setFind] = useState(false);
  const editor = useTextEditor({
    conversation,
    block,
    kind: isCode ? 'code' : 'prose',
    label: 'Text',
    hasLineNumbers: true,
    takesFocus: true,
    // The field is there before the next key comes.
    keys: { 'Mod-f': () => flushSync(() => setFind(true)) },
  });
  const view = editor.editor?.view;
  const title = draft?.title ?? nameOfText(text);
  const headings = useMemo(() => headingsOf(text), [text]);
  const [counter] = useState(() => new WordCounter());
  const words = useMemo(() => counter.count(text), [counter, text]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented) return;
    const isFind = event.key === 'f' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    if (isFind) setFind(true);
    else if (event.key === 'Escape') onLeave();
    else return;
    event.preventDefault();
  };
  return (
    <main id="main" tabIndex={-1} className="main text-page" onKeyDown={onKeyDown}>
      <header className="top-bar">
        <IconButton icon="left" label="Back to the conversation" keys="Esc" onClick={onLeave} />
        <h1 className="cut">{title}</h1>
        <span className="grow" />
        <WhoIsHere conversation={conversation} />
        <IconButton
          icon="search"
          label="Find and replace"
          keys="Ctrl F"
          isPressed={hasFind}
          onClick={() => setFind(!hasFind)}
        />
        <IconButton icon="download" label="Save as a file" onClick={() => saveText(conversation, { block, title })} />
      </header>
      {hasFind && view !== undefined && (
        <FindBar view={view} mayWrite={editor.mayWrite} onClose={() => setFind(false)} />
      )}
      <div className="text-page-body">
        <Outline headings={headings} onGo={(heading) => view !== undefined && goTo(view, heading)} />
        <div className="writing text-page-text">
          <WritingArea conversation={conversation} block={block} editor={editor}>
            <span className="aside">{count(words, 'word')}</span>
          </WritingArea>
        </div>
      </div>
      <WritingStrip conversation={conversation} isAlone />
    </main>
  );
}

function Outline({
  headings,
  onGo,
}: {
  headings: readonly Heading[];
  onGo: (heading: Heading) => void;
}): ReactElement | null {
  if (headings.length === 0) return null;
  const highest = Math.min(...headings.map(({ level }) => level));
  return (
    <nav className="text-outline scroll" aria-label="Outline" tabIndex={0}>
      <h2>Outline</h2>
      <ul>
        {headings.map((heading) => (
          <li key={heading.at} className={`outline-level-${Math.min(3, heading.level - highest)}`}>
            <button type="button" className="cut" onClick={() => onGo(heading)}>
              {heading.words}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Puts the caret at a heading. Meanwhile the text may have become shorter. */
function goTo(view: EditorView, { at }: Heading): void {
  const place = Math.min(at, view.state.doc.length);
  view.dispatch({ selection: { anchor: place }, effects: EditorView.scrollIntoView(place, { y: 'start' }) });
  view.focus();
}
