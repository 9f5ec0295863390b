import type { ReactElement, ReactNode } from 'react';
import { awayWords, backWords, tryingWords } from '../app/connection-words.ts';
import { Banner } from '../app/ConnectionBanner.tsx';
import { hiddenWords } from '../blocks/kinds/hidden-words.ts';
import { Icon } from '../ui/Icon.tsx';
import { Nothing } from '../ui/Nothing.tsx';

/** A time to tell of, so that pictures of the page stay the same. */
const since = new Date(2026, 10, 17, 10, 41).getTime();
const minute = 60_000;

/** The states of the page while something is away, empty, on its way or hidden. */
export function States(): ReactElement {
  return (
    <>
      <State caption="Cut for more than 2 s: nothing jumps, typing goes on">
        <Banner words={tryingWords} tone="trying" />
      </State>
      <State caption="Cut for longer">
        <Banner words={awayWords(since, since + minute, 3) ?? ''} tone="offline" />
      </State>
      <State caption="Back: for 4 s, then gone">
        <Banner words={backWords(since, since + minute, 3) ?? ''} tone="back" />
      </State>
      <State caption="Nothing waits">
        <Nothing title="Nothing is waiting for you">
          <p>Approvals and questions from every conversation appear here.</p>
        </Nothing>
      </State>
      <State caption="Loading: shapes after 150 ms, as high as the rows">
        <div className="shapes" role="status" aria-label="Loading">
          <div className="shape" />
          <div className="shape" />
          <div className="shape shape-short" />
        </div>
      </State>
      <State caption="Hidden by the reader">
        <div className="hidden-note">
          <Icon name="eye" />
          <span>{hiddenWords({ blocks: 14, kinds: ['command'] })}</span>
          <button type="button" className="text-button">
            Show
          </button>
        </div>
      </State>
      <State caption="What can be taken back">
        <div className="toast" role="status">
          <span>Deleted 5 messages.</span>
          <button type="button" className="button">
            Undo
          </button>
        </div>
      </State>
      <State caption="What went wrong stays until it is closed">
        <div className="failure">
          <span>The disk is full, so nothing new can be saved. Reading works.</span>
        </div>
      </State>
    </>
  );
}

function State({ caption, children }: { caption: string; children: ReactNode }): ReactElement {
  return (
    <figure data-specimen={caption}>
      <figcaption>{caption}</figcaption>
      <div className="specimen-state">{children}</div>
    </figure>
  );
}
