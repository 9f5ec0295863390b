import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useBlockHost } from '../block-host.ts';
import type { BlockHost } from '../block-host.ts';

/** Returns the way to the turns that wrote a file, for owners: others may not look at files of the server's computer. */
export function useTellWriters(): BlockHost['tellWriters'] {
  const { role, tellWriters } = useBlockHost();
  const [isOwner, setOwner] = useState(false);
  useEffect(() => {
    let isShown = true;
    role().then(
      (found) => isShown && setOwner(found === 'owner'),
      () => {},
    );
    return () => {
      isShown = false;
    };
  }, [role]);
  return isOwner ? tellWriters : undefined;
}

interface LineNumberProps {
  path: string;
  /** The number of the line after the change; absent for one that was deleted. */
  line: number | undefined;
  text: string;
  tellWriters: BlockHost['tellWriters'];
}

/** The number of a line of a difference, which leads to the turn that wrote it. */
export function LineNumber({ path, line, text, tellWriters }: LineNumberProps): ReactElement {
  return (
    <span className="diff-number">
      {line === undefined || tellWriters === undefined ? (
        line
      ) : (
        <button
          type="button"
          className="diff-number-button"
          tabIndex={-1}
          title="Who wrote this line?"
          aria-label={`Who wrote line ${line}?`}
          onClick={() => tellWriters({ path, line, text })}
        >
          {line}
        </button>
      )}
    </span>
  );
}
