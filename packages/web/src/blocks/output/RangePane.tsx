import { useEffect, useRef, useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { bytes as amount } from '../../words/amounts.ts';
import { useBlockHost } from '../block-host.ts';
import { findInPages } from './find-in-pages.ts';
import type { FoundPlace } from './find-in-pages.ts';
import { bytesOfPages, countPages, textsOfPages } from './output-pages.ts';

interface RangePaneProps {
  blob: string;
  bytes: number;
  label: string;
  isError: boolean;
  onClose: () => void;
}

/** All of a long output, a page at a time: only what is looked at is read. */
export function RangePane({ blob, bytes, label, isError, onClose }: RangePaneProps): ReactElement {
  const { readRange } = useBlockHost();
  const [page, setPage] = useState(0);
  const [shown, setShown] = useState<{ page: number; text: string }>();
  const [trouble, setTrouble] = useState<string>();
  const [tries, setTries] = useState(0);
  const [found, setFound] = useState<FoundPlace & { length: number }>();
  const pages = countPages(bytes);
  useEffect(() => {
    let isWanted = true;
    const { start, end } = bytesOfPages(page, 1, bytes);
    const read = async (): Promise<void> => {
      const [text = ''] = textsOfPages(await readRange(blob, start, end), page, 1, bytes);
      if (!isWanted) return;
      setTrouble(undefined);
      setShown({ page, text });
    };
    read().catch(() => {
      if (isWanted) setTrouble('This part could not be read.');
    });
    return () => {
      isWanted = false;
    };
  }, [readRange, blob, bytes, page, tries]);
  const go = (to: number): void => {
    setFound(undefined);
    setPage(Math.min(pages - 1, Math.max(0, to)));
  };
  return (
    <>
      <div className="tool-foot range-bar">
        <Find
          blob={blob}
          bytes={bytes}
          from={found ?? { page, at: -1 }}
          onFound={(place, length) => {
            setPage(place.page);
            setFound({ ...place, length });
          }}
        />
        <span className="grow" />
        <button type="button" className="text-button" aria-disabled={page === 0} onClick={() => go(page - 1)}>
          Earlier
        </button>
        <label className="range-part">
          Part
          <input
            type="number"
            className="field"
            min={1}
            max={pages}
            value={page + 1}
            onChange={({ target }) => {
              if (target.value !== '') go(Number(target.value) - 1);
            }}
          />
          of {pages}
        </label>
        <button type="button" className="text-button" aria-disabled={page === pages - 1} onClick={() => go(page + 1)}>
          Later
        </button>
        <button type="button" className="text-button" onClick={onClose}>
          Show less
        </button>
      </div>
      {trouble !== undefined && (
        <p role="alert" className="tool-note">
          {trouble}{' '}
          <button type="button" className="text-button" onClick={() => setTries(tries + 1)}>
            Try again
          </button>
        </p>
      )}
      <PageText
        text={shown?.text ?? ''}
        isHere={shown?.page === page}
        mark={found?.page === shown?.page ? found : undefined}
        label={`${label}, part ${page + 1} of ${pages}, ${amount(bytes)} in all`}
        isError={isError}
      />
    </>
  );
}

interface PageTextProps {
  text: string;
  /** Otherwise the page that is wanted is still on its way. */
  isHere: boolean;
  mark: { at: number; length: number } | undefined;
  label: string;
  isError: boolean;
}

function PageText({ text, isHere, mark, label, isError }: PageTextProps): ReactElement {
  const part = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (!isHere) return;
    const marked = part.current?.querySelector('mark');
    if (marked) marked.scrollIntoView({ block: 'center' });
    else if (part.current) part.current.scrollTop = 0;
  }, [isHere, text, mark]);
  const end = mark === undefined ? 0 : mark.at + mark.length;
  return (
    <pre
      ref={part}
      className={`output output-tall scroll${isError ? ' output-error' : ''}`}
      tabIndex={0}
      aria-label={label}
      aria-busy={!isHere}
    >
      {mark === undefined ? (
        text
      ) : (
        <>
          {text.slice(0, mark.at)}
          <mark>{text.slice(mark.at, end)}</mark>
          {text.slice(end)}
        </>
      )}
    </pre>
  );
}

interface FindProps {
  blob: string;
  bytes: number;
  from: FoundPlace;
  onFound: (place: FoundPlace, length: number) => void;
}

/** Looks for words in all of the output; Enter goes to the next place. */
function Find({ blob, bytes, from, onFound }: FindProps): ReactElement {
  const { readRange } = useBlockHost();
  const [words, setWords] = useState('');
  const [state, setState] = useState('');
  const search = useRef<AbortController>(undefined);
  useEffect(() => () => search.current?.abort(), []);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    search.current?.abort();
    if (words === '') return;
    const controller = new AbortController();
    search.current = controller;
    setState('Looking…');
    const look = async (): Promise<void> => {
      const place = await findInPages(words, from, {
        bytes,
        signal: controller.signal,
        read: (start, end) => readRange(blob, start, end),
        onProgress: (share) => setState(`Looking… ${Math.round(share * 100)}%`),
      });
      setState(place === undefined ? `Not in any of ${amount(bytes)}` : '');
      if (place !== undefined) onFound(place, words.length);
    };
    look().catch(() => {
      if (!controller.signal.aborted) setState('It could not be searched.');
    });
  };
  return (
    <form className="range-find" role="search" onSubmit={submit}>
      <input
        className="field"
        aria-label="Find in all of the output"
        placeholder="Find in it"
        value={words}
        onChange={({ target }) => {
          search.current?.abort();
          setState('');
          setWords(target.value);
        }}
      />
      <span className="aside" role="status">
        {state}
      </span>
    </form>
  );
}
