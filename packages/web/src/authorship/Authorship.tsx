import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { useAsked } from '../stores/use-asked.ts';
import { agentName } from '../conversation/agent-name.ts';
import { authoredText, authorShares } from '../writing/authored-text.ts';
import { readVersions } from '../writing/read-versions.ts';

/** The number of distinct colors; those who wrote less share the last one. */
const colours = 3;

/** The words of a block, tinted by who wrote them. */
export function Authorship({ block, version }: { block: string; version: number }): ReactElement {
  const loom = useLoom();
  const { value, failure } = useAsked(`${block} ${version}`, () => readVersions(loom.ask, block));
  const pieces = useMemo(() => authoredText(value ?? []), [value]);
  const shares = authorShares(pieces);
  const colourOf = (agent: string): number => Math.min(shares.findIndex((share) => share.agent === agent) + 1, colours);
  if (failure !== undefined) return <p className="inspector-failure">{failure}</p>;
  if (value === undefined) return <p className="aside">Loading authorship…</p>;
  return (
    <section className="authorship" aria-label="Who wrote what">
      <p className="prose authored">
        {pieces.map(({ agent, text }, index) => (
          <span key={index} className={`authored-${colourOf(agent)}`} title={agentName(agent, loom.agent)}>
            {text}
          </span>
        ))}
      </p>
      <ul className="authors">
        {shares.map(({ agent, percent }) => (
          <li key={agent}>
            <span className={`author-colour authored-${colourOf(agent)}`} aria-hidden="true" />
            {agentName(agent, loom.agent)} {percent} %
          </li>
        ))}
      </ul>
    </section>
  );
}
