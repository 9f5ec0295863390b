import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { messageTime } from '../words/times.ts';
import type { MadeShare } from './share-answers.ts';
import { reachWords } from './share-words.ts';

/** A link that was just made, to be copied now: it is not shown again. */
export function MadeLink({ made, onClose }: { made: MadeShare; onClose: () => void }): ReactElement {
  const address = `${location.origin}${made.path}`;
  const copying = useRef<HTMLButtonElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState<'yes' | 'no'>();
  useEffect(() => copying.current?.focus(), []);
  const copy = (): void => {
    navigator.clipboard.writeText(address).then(
      () => setCopied('yes'),
      // Pages of servers without TLS may not copy.
      () => (setCopied('no'), field.current?.select()),
    );
  };
  return (
    <>
      <div className="share-body">
        <p>
          Everyone who has this link can read what it shows, until {messageTime(made.until, Date.now())}. Copy it now:
          it is not shown again.
        </p>
        <div className="field">
          <input
            ref={field}
            readOnly
            aria-label="Link"
            value={address}
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
        </div>
        <p role="status" className="share-quiet">
          {copied === 'yes' && 'Copied.'}
          {copied === 'no' && 'The browser does not let this page copy. The link is selected: press Ctrl+C.'}
        </p>
        <p className="share-quiet">{reachWords(location)} You can end it in the settings, under Shared links.</p>
      </div>
      <footer>
        <a className="button button-quiet" href={made.path} target="_blank" rel="noopener noreferrer">
          Open it
        </a>
        <span className="grow" />
        <button type="button" className="button" onClick={onClose}>
          Done
        </button>
        <button ref={copying} type="button" className="button button-primary" onClick={copy}>
          <Icon name={copied === 'yes' ? 'check' : 'copy'} />
          Copy link
        </button>
      </footer>
    </>
  );
}
