import { useRef } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { ModelButton } from '../models/ModelButton.tsx';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { attachFiles } from './attaching/attaching.ts';
import { focusComposer } from './focus.ts';
import { askToSay } from './ask-to-say.ts';
import { stop } from './sending.ts';
import { ToolsButton } from '../work/tools/ToolsButton.tsx';
import { ModeButton } from '../work/ModeButton.tsx';
import { useLate } from '../ui/use-late.ts';

/** The tools below the text: who answers, how, what to add, and the button. */
export function ComposerTools({ isRunning }: { isRunning: boolean }): ReactElement {
  const loom = useLoom();
  const { composer } = loom;
  const files = useRef<HTMLInputElement>(null);
  const isSending = useStore(composer.isSending);
  const isSlow = useLate(isSending, 300);
  const insert = (): void => {
    const { text } = composer.draft.getSnapshot();
    composer.write(text === '' || /\s$/u.test(text) ? `${text}@` : `${text} @`);
    focusComposer();
  };
  return (
    <div className="composer-tools">
      <ModelButton />
      <ModeButton />
      <ToolsButton />
      <IconButton icon="attach" label="Attach files, or paste or drop them" onClick={() => files.current?.click()} />
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={(event) => {
          const chosen = [...(event.target.files ?? [])];
          event.target.value = '';
          loom.attempt(() => attachFiles(loom, chosen));
          focusComposer();
        }}
      />
      <span className="not-narrow">
        <IconButton icon="at" label="Insert a block or conversation" keys="@" onClick={insert} />
      </span>
      <span className="grow" />
      {isSlow ? <span className="composer-hint">Saving…</span> : <KeyHints isRunning={isRunning} />}
      {isRunning ? (
        <button
          type="button"
          className="send send-stop"
          aria-label="Stop (Esc)"
          title="Stop (Esc)"
          onClick={() => {
            focusComposer();
            loom.attempt(() => stop(loom));
          }}
        >
          <Icon name="stop" />
        </button>
      ) : (
        <SendButton
          onClick={() => {
            focusComposer();
            loom.attempt(() => askToSay(loom, 'run'));
          }}
        />
      )}
    </div>
  );
}

function KeyHints({ isRunning }: { isRunning: boolean }): ReactElement | null {
  if (!isRunning) return null;
  return (
    <span className="composer-hint not-narrow">
      <kbd>Enter</kbd> steers <kbd>Alt Enter</kbd> queues <kbd>Esc</kbd> stops
    </span>
  );
}

function SendButton({ onClick }: { onClick: () => void }): ReactElement {
  return (
    <button type="button" className="send" aria-label="Send (Enter)" title="Send (Enter)" onClick={onClick}>
      <Icon name="send" />
    </button>
  );
}
