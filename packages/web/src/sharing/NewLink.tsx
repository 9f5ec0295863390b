import { useCallback, useEffect, useRef, useState } from 'react';
import type { FormEvent, ReactElement, RefObject } from 'react';
import { useBlockHost } from '../blocks/block-host.ts';
import { Icon } from '../ui/Icon.tsx';
import { saveBlob } from '../ui/save-blob.ts';
import { Segments } from '../ui/Segments.tsx';
import { Switch } from '../ui/Switch.tsx';
import { useAsked } from '../stores/use-asked.ts';
import { useAnswer } from '../ui/use-answer.ts';
import { useWorkHost } from '../work/work-host.ts';
import { bytes, count } from '../words/amounts.ts';
import { describeFailure } from '../words/failures.ts';
import { FoundSecrets } from './FoundSecrets.tsx';
import { madeShare, savedShare, shareList, sharePreview } from './share-answers.ts';
import type { MadeShare } from './share-answers.ts';
import type { ShareWish } from './ShareDialog.tsx';
import { ShareLinks } from './ShareLinks.tsx';
import { lifetimes, lifetimeWords, reachWords, usualDays } from './share-words.ts';

interface NewLinkProps {
  wish: ShareWish;
  onMade: (made: MadeShare) => void;
  onClose: () => void;
}

/** The choices of a new link, beside what it would show and the secrets in that. */
export function NewLink({ wish, onMade, onClose }: NewLinkProps): ReactElement {
  const { ask, tell } = useWorkHost();
  const { readBlob } = useBlockHost();
  const { root, node } = wish;
  const [whole, setWhole] = useState(false);
  const [thinking, setThinking] = useState(false);
  const [tools, setTools] = useState(true);
  const [isReplaced, setReplaced] = useState(true);
  const [days, setDays] = useState(usualDays);
  const [trouble, setTrouble] = useState<string>();
  const place = node ?? root;
  const what = { place, whole, thinking, tools };
  const [tries, setTries] = useState(0);
  const scan = useAsked(JSON.stringify([what, tries]), async () =>
    sharePreview.parse(await ask('share.preview', what)),
  );
  const { value: found, isAsking: isScanning } = scan;
  const isReady = found !== undefined && !isScanning;
  const create = useRef<HTMLButtonElement>(null);
  useFocusWhenReady(create, isReady);
  // Errors stand where the action was.
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    setTrouble(undefined);
    await work().catch((error: unknown) => setTrouble(describeFailure(error)));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isReady) return;
    const params = { ...what, replace_secrets: isReplaced, days };
    void act(async () => onMade(madeShare.parse(await ask('share.create', params))));
  };
  const save = (): void =>
    void act(async () => {
      const params = { ...what, replace_secrets: isReplaced };
      const { blob, name, media_type: type } = savedShare.parse(await ask('share.save', params));
      saveBlob(await readBlob(blob, type), name);
      tell(`Saved as ${name}.`);
      onClose();
    });
  const branches = found?.branches ?? 1;
  return (
    <form onSubmit={submit}>
      <div className="share-body scroll">
        {branches > 1 && (
          <div>
            <h3>What</h3>
            <Segments
              label="What"
              choices={[
                { value: 'branch', label: node === undefined ? 'Latest branch' : 'This branch' },
                { value: 'all', label: `All ${branches > 500 ? '500' : branches} branches` },
              ]}
              chosen={whole ? 'all' : 'branch'}
              onChoose={(chosen) => setWhole(chosen === 'all')}
            />
          </div>
        )}
        <div role="status" aria-busy={isScanning}>
          {!isReady ? (
            scan.failure === undefined && <p className="share-quiet">Looking for secrets…</p>
          ) : (
            <p className="share-quiet">
              {count(found.messages, 'message')}
              {found.tools > 0 && `, ${count(found.tools, 'tool call')}`}
              {found.secrets.length === 0 && `. No secrets found in ${count(found.blocks, 'block')}.`}
            </p>
          )}
        </div>
        {scan.failure !== undefined && (
          <p role="alert" className="share-failure">
            {scan.failure}{' '}
            <button type="button" className="text-button" onClick={() => setTries(tries + 1)}>
              Look again
            </button>
          </p>
        )}
        {found !== undefined && found.secrets.length > 0 && (
          <FoundSecrets
            root={root}
            secrets={found.secrets}
            isReplaced={isReplaced}
            onReplace={setReplaced}
            onLeave={onClose}
          />
        )}
        <label className="share-select">
          <span>Expires</span>
          <select value={days} onChange={(event) => setDays(Number(event.target.value))}>
            {lifetimes.map((lifetime) => (
              <option key={lifetime} value={lifetime}>
                {lifetimeWords(lifetime, Date.now())}
              </option>
            ))}
          </select>
        </label>
        <div className="share-switches">
          <Choice
            label="Show thinking"
            isOn={thinking}
            onChange={setThinking}
            about={found === undefined ? '' : count(found.thinking, 'block')}
          />
          <Choice
            label="Show tools and their output"
            isOn={tools}
            onChange={setTools}
            about={found === undefined ? '' : `${count(found.tools, 'call')}, ${bytes(found.bytes)} in all`}
          />
        </div>
        <p className="share-quiet">
          What is added later is not shown; edits of what is shown are. Pictures are shown as they are. System prompts,
          notes and other branches stay out.
        </p>
        <p className="share-quiet">{reachWords(location)}</p>
        <OldLinks root={root} />
        {trouble !== undefined && (
          <p role="alert" className="share-failure">
            {trouble}
          </p>
        )}
      </div>
      <footer>
        <button type="button" className="button button-quiet" disabled={!isReady} onClick={save}>
          <Icon name="download" />
          Save as an HTML file
        </button>
        <span className="grow" />
        <button type="button" className="button" data-safe onClick={onClose}>
          Cancel
        </button>
        <button ref={create} type="submit" className="button button-primary" disabled={!isReady}>
          Create link
        </button>
      </footer>
    </form>
  );
}

interface ChoiceProps {
  label: string;
  isOn: boolean;
  about: string;
  onChange: (isOn: boolean) => void;
}

function Choice({ label, isOn, about, onChange }: ChoiceProps): ReactElement {
  return (
    <div className="share-switch">
      <Switch label={label} isOn={isOn} onChange={onChange} />
      <span className="grow">{label}</span>
      <span className="share-quiet figures">{about}</span>
    </div>
  );
}

/** The links to the same conversation that others may still open. */
function OldLinks({ root }: { root: string }): ReactElement | null {
  const { ask } = useWorkHost();
  const read = useCallback(async () => {
    const { items } = shareList.parse(await ask('share.list', {}));
    return items.filter((item) => item.root === root && !item.ended).toReversed();
  }, [ask, root]);
  const { value: links = [], again } = useAnswer(read);
  if (links.length === 0) return null;
  return (
    <section aria-label="Links to this conversation">
      <h3>Links to this conversation</h3>
      <ShareLinks shares={links} isOfMany={false} onChange={again} />
    </section>
  );
}

/** Gives the focus to what the reader came for, unless they have gone on meanwhile. */
function useFocusWhenReady(target: RefObject<HTMLElement | null>, isReady: boolean): void {
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isReady || !isFirst.current) return;
    isFirst.current = false;
    if (document.activeElement?.matches('[data-safe]') === true) target.current?.focus();
  }, [target, isReady]);
}
