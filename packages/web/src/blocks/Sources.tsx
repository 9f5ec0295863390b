import type { ReactElement } from 'react';
import type { Source } from '@loom/blocks';
import { hostOf, safeAddress } from '../markdown/safe-address.ts';

/** The pages that an answer rests on, by the numbers under which it cites them. */
export function Sources({ sources }: { sources: readonly Source[] }): ReactElement {
  return (
    <ol className="tool-body sources">
      {sources.map((source, index) => (
        <li key={index}>
          <SourceLine source={source} number={index + 1} />
        </li>
      ))}
    </ol>
  );
}

function SourceLine({ source: { url, title }, number }: { source: Source; number: number }): ReactElement {
  const address = safeAddress(url);
  const line = (
    <>
      <span className="source-number">{number}</span>
      <span className="cut">{title === '' ? url : title}</span>
      <span className="source-host">{hostOf(url)}</span>
    </>
  );
  if (address === undefined) return <span className="source">{line}</span>;
  return (
    <a className="source" href={address} target="_blank" rel="noopener noreferrer" title={address}>
      {line}
    </a>
  );
}
