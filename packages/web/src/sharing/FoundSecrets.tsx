import { useState } from 'react';
import type { ReactElement } from 'react';
import { placeWords } from '../secrets/secret-words.ts';
import { Icon } from '../ui/Icon.tsx';
import { PlaceLink } from '../ui/PlaceLink.tsx';
import { count } from '../words/amounts.ts';
import type { FoundSecret } from './share-answers.ts';

interface FoundSecretsProps {
  root: string;
  secrets: readonly FoundSecret[];
  isReplaced: boolean;
  onReplace: (isReplaced: boolean) => void;
  /** Called when the reader goes to one of them. */
  onLeave: () => void;
}

/** The number of secrets that are listed before all are asked for. */
const mostListed = 5;

/** The secrets in what is about to be shared, none of them whole, and the choice to replace them. */
export function FoundSecrets({ root, secrets, isReplaced, onReplace, onLeave }: FoundSecretsProps): ReactElement {
  const [hasAll, setAll] = useState(false);
  const shown = hasAll ? secrets : secrets.slice(0, mostListed);
  const isOne = secrets.length === 1;
  return (
    <section className="share-secrets" aria-label="Secrets">
      <Icon name="warning" />
      <div>
        <p>
          <strong>{count(secrets.length, 'secret')} found</strong> in what you are about to share
        </p>
        <ul>
          {shown.map((secret, index) => (
            <li key={index}>
              <SecretRow root={root} secret={secret} onLeave={onLeave} />
            </li>
          ))}
        </ul>
        {shown.length < secrets.length && (
          <button type="button" className="text-button" onClick={() => setAll(true)}>
            Show all {secrets.length}
          </button>
        )}
        <label className="share-check">
          <input type="checkbox" checked={isReplaced} onChange={(event) => onReplace(event.target.checked)} />
          <span>Replace {isOne ? 'it' : secrets.length === 2 ? 'both' : 'all of them'} with •••• in the link</span>
        </label>
        {!isReplaced && (
          <p className="share-warning">Everyone with the link can read and use {isOne ? 'it' : 'them'}.</p>
        )}
      </div>
    </section>
  );
}

type RowProps = Pick<FoundSecretsProps, 'root' | 'onLeave'> & { secret: FoundSecret };

function SecretRow({ root, secret, onLeave }: RowProps): ReactElement {
  const { kind, masked, node, block } = secret;
  const { words, about } = placeWords(secret);
  const place = { name: 'conversation' as const, root, node, ...(block === '' ? {} : { block }) };
  return (
    <>
      <span className="grow share-place">
        {kind} in {words} {about !== undefined && <code>{about}</code>}
      </span>
      <code className="share-masked">{masked}</code>
      <span onClick={onLeave}>
        <PlaceLink place={place} className="text-button">
          Show
        </PlaceLink>
      </span>
    </>
  );
}
