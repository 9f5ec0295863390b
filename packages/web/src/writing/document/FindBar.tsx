import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import type { EditorView } from '@codemirror/view';
import { countFound, find, followFound, goToFound, replaceAllFound, replaceFound } from '../../editor/finding.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { count } from '../../words/amounts.ts';

interface FindBarProps {
  view: EditorView;
  mayWrite: boolean;
  onClose: () => void;
}

/** Finds and replaces words in a text. */
export function FindBar({ view, mayWrite, onClose }: FindBarProps): ReactElement {
  const [words, setWords] = useState(() => selectedLine(view));
  const [by, setBy] = useState('');
  const [isCaseSensitive, setCaseSensitive] = useState(false);
  const [found, setFound] = useState(() => countFound(view));
  const field = useRef<HTMLInputElement>(null);
  // At once: what is typed next belongs here.
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  useEffect(
    () =>
      followFound(view, () => {
        const now = countFound(view);
        setFound((before) => (before.count === now.count && before.at === now.at ? before : now));
      }),
    [view],
  );
  useEffect(() => {
    find(view, { words, isCaseSensitive });
  }, [view, words, isCaseSensitive]);
  useEffect(() => () => find(view, undefined), [view]);
  const act = (work: () => void): void => {
    work();
    // The buttons are off now, and would take the focus with them.
    if (countFound(view).count === 0) field.current?.focus();
  };
  const close = (): void => {
    onClose();
    view.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') close();
    else if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
    else if (event.target === field.current) act(() => goToFound(view, event.shiftKey ? -1 : 1));
    else act(() => replaceFound(view, by));
    event.preventDefault();
    event.stopPropagation();
  };
  const { count: number, at } = found;
  return (
    <div className="find-bar" role="search" aria-label="Find in the text" onKeyDown={onKeyDown}>
      <input
        ref={field}
        aria-label="Find"
        placeholder="Find"
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      <span className="aside find-count" role="status">
        {words === '' ? '' : at > 0 ? `${at} of ${number}` : count(number, 'match', 'matches')}
      </span>
      <IconButton
        icon="up"
        label="Previous match"
        isOff={number === 0}
        onClick={() => act(() => goToFound(view, -1))}
      />
      <IconButton icon="down" label="Next match" isOff={number === 0} onClick={() => act(() => goToFound(view, 1))} />
      <label className="check">
        <input type="checkbox" checked={isCaseSensitive} onChange={(event) => setCaseSensitive(event.target.checked)} />
        Match case
      </label>
      {mayWrite && (
        <>
          <input
            aria-label="Replace by"
            placeholder="Replace by"
            value={by}
            onChange={(event) => setBy(event.target.value)}
          />
          <button
            type="button"
            className="button"
            disabled={number === 0}
            onClick={() => act(() => replaceFound(view, by))}
          >
            Replace
          </button>
          <button
            type="button"
            className="button"
            disabled={number === 0}
            onClick={() => act(() => replaceAllFound(view, by))}
          >
            Replace all
          </button>
        </>
      )}
      <IconButton icon="close" label="Close" keys="Esc" onClick={close} />
    </div>
  );
}

/** Returns the selected words if they are of one line: what is looked for first. */
function selectedLine({ state }: EditorView): string {
  const { from, to } = state.selection.main;
  const selected = state.sliceDoc(from, Math.min(to, from + 200));
  return selected.includes('\n') ? '' : selected;
}
