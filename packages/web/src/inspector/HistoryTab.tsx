import { useState } from 'react';
import type { ReactElement } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { bringBack } from '../branching/bring-back.ts';
import { useAsked } from '../stores/use-asked.ts';
import { exactTime } from '../words/times.ts';
import { CodeText } from './CodeText.tsx';
import { DiffLines } from './DiffLines.tsx';
import { NothingSelected } from './NothingSelected.tsx';
import { gatherVersions, versionWords } from '../writing/version-words.ts';
import { useCurrentBlock } from './use-current-block.ts';
import type { CurrentBlock } from './use-current-block.ts';

/** The versions of the current block, the newest first. */
export function HistoryTab(): ReactElement {
  const current = useCurrentBlock();
  return current === undefined ? <NothingSelected /> : <Versions key={current.id} current={current} />;
}

function Versions({ current }: { current: CurrentBlock }): ReactElement {
  const loom = useLoom();
  const { id, block } = current;
  const [chosen, setChosen] = useState<number>();
  const growing = block.status === 'running' || block.status === 'pending';
  const { value, failure } = useAsked(`${id} ${growing ? '' : (block.version ?? 1)}`, () =>
    loom.ask('block.history', { block_id: id }),
  );
  const versions = gatherVersions(value ?? []).toReversed();
  const newest = versions[0]?.version;
  return (
    <div className="scroll inspector-scroll">
      <section className="inspector-section">
        <h2>Versions of this block</h2>
        {failure !== undefined && <p className="inspector-failure">{failure}</p>}
        <ol className="versions">
          {versions.map((version, index) => (
            <li key={version.version}>
              <button
                type="button"
                className="version"
                aria-expanded={chosen === version.version}
                onClick={() => setChosen(chosen === version.version ? undefined : version.version)}
              >
                <span className="mark mark-model" />
                <span className="grow cut">{versionWords(version, versions.length - index)}</span>
                <time dateTime={version.time}>{exactTime(Date.parse(version.time))}</time>
              </button>
              {chosen === version.version && newest !== undefined && (
                <VersionText id={id} version={version.version} newest={newest} />
              )}
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}

function VersionText({ id, version, newest }: { id: string; version: number; newest: number }): ReactElement {
  const loom = useLoom();
  const conversation = useConversation();
  const { value, failure } = useAsked(`${id} ${version} ${newest}`, async () => {
    const { content } = await loom.ask('block.read', { block_id: id, version, line_numbers: false });
    const { diff } = await loom.ask('block.diff', { block_id: id, from_version: version, to_version: newest });
    return { content, diff };
  });
  if (failure !== undefined) return <p className="inspector-failure">{failure}</p>;
  if (value === undefined) return <p className="inspector-empty">Loading…</p>;
  return (
    <div className="version-text">
      {version === newest ? (
        <CodeText label={`Version ${version}`}>{value.content}</CodeText>
      ) : (
        <>
          <p className="inspector-note">From this version to the newest</p>
          <DiffLines diff={value.diff} />
          <button
            type="button"
            className="button"
            onClick={() => loom.attempt(() => bringBack(loom, conversation, id, value.content))}
          >
            Bring back
          </button>
        </>
      )}
    </div>
  );
}
