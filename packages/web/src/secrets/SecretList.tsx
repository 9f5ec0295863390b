import { useState } from 'react';
import type { ReactElement } from 'react';
import { PlaceLink } from '../ui/PlaceLink.tsx';
import { count } from '../words/amounts.ts';
import type { SecretFound } from './secret-report.ts';
import { placeWords } from './secret-words.ts';

interface SecretListProps {
  found: readonly SecretFound[];
  /** The blocks to act on. */
  chosen: ReadonlySet<string>;
  /** Returns the name of a conversation, if the list has several. */
  nameOf: ((root: string) => string) | undefined;
  onChoose: (chosen: ReadonlySet<string>) => void;
  /** Called when the reader goes to one of them. */
  onLeave: () => void;
}

/** The number of secrets that are drawn before all are asked for. */
const mostDrawn = 200;

/** The secrets found, by conversation, each with the way to its place and a tick for its block. */
export function SecretList({ found, chosen, nameOf, onChoose, onLeave }: SecretListProps): ReactElement {
  const [hasAll, setAll] = useState(false);
  const blocks = new Set(found.map(({ block }) => block));
  const isAllChosen = blocks.size > 0 && [...blocks].every((block) => chosen.has(block));
  const shown = hasAll ? found : found.slice(0, mostDrawn);
  const byRoot = Map.groupBy(shown, ({ root }) => root);
  const toggle = (block: string, isChosen: boolean): void => {
    const next = new Set(chosen);
    if (isChosen) next.add(block);
    else next.delete(block);
    onChoose(next);
  };
  return (
    <>
      <label className="secrets-all">
        <input
          type="checkbox"
          checked={isAllChosen}
          onChange={(event) => onChoose(event.target.checked ? blocks : new Set())}
        />
        <span>Choose all, {count(blocks.size, 'block')}</span>
      </label>
      {[...byRoot].map(([root, secrets]) => (
        <section key={root} aria-label={nameOf?.(root) ?? 'Secrets'}>
          {nameOf !== undefined && <h3 className="cut">{nameOf(root)}</h3>}
          <ul>
            {secrets.map((secret, index) => (
              <li key={index}>
                <SecretRow
                  secret={secret}
                  isChosen={chosen.has(secret.block)}
                  onToggle={(isChosen) => toggle(secret.block, isChosen)}
                  onLeave={onLeave}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {shown.length < found.length && (
        <button type="button" className="button" onClick={() => setAll(true)}>
          Show all {found.length}
        </button>
      )}
    </>
  );
}

interface SecretRowProps {
  secret: SecretFound;
  isChosen: boolean;
  onToggle: (isChosen: boolean) => void;
  onLeave: () => void;
}

function SecretRow({ secret, isChosen, onToggle, onLeave }: SecretRowProps): ReactElement {
  const { root, node, block, kind, masked } = secret;
  const { words, about } = placeWords(secret);
  return (
    <>
      <label className="secrets-choice grow">
        <input type="checkbox" checked={isChosen} onChange={(event) => onToggle(event.target.checked)} />
        <span className="secrets-place">
          {kind} in {words} {about !== undefined && <code>{about}</code>}
        </span>
        <code className="secrets-masked">{masked}</code>
      </label>
      <span onClick={onLeave}>
        <PlaceLink place={{ name: 'conversation', root, node, block }} className="text-button">
          Show<span className="unseen"> {kind}</span>
        </PlaceLink>
      </span>
    </>
  );
}
