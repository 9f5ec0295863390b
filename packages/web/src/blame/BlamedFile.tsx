import { useState } from 'react';
import type { ReactElement } from 'react';
import { useAsked } from '../stores/use-asked.ts';
import { PlaceLink } from '../ui/PlaceLink.tsx';
import { useWorkHost } from '../work/work-host.ts';
import { count } from '../words/amounts.ts';
import { commitWords, lineNow, rangeAt } from './blame-words.ts';
import type { Blame, Commit, FileLine } from './blame-words.ts';
import { RangeList } from './RangeList.tsx';
import { TurnLink } from './TurnLink.tsx';

interface BlamedFileProps {
  place: FileLine;
  /** Shows the turns behind a commit of the repository at a folder. */
  onCommit: (directory: string, commit: string) => void;
  onLeave: () => void;
}

/** The turns that wrote the lines of a file: the chosen lines above, all of them below. */
export function BlamedFile({ place, onCommit, onLeave }: BlamedFileProps): ReactElement {
  const { call } = useWorkHost();
  const { path } = place;
  const { value: blame, failure } = useAsked(path, () => call('file.blame', { path }));
  if (failure !== undefined) {
    return (
      <p role="alert" className="failure">
        {failure}
      </p>
    );
  }
  if (blame === undefined) return <p role="status">Reading what conversations recorded…</p>;
  if (blame.lines === 0) return <p>The file is empty.</p>;
  const now = place.line === undefined ? 1 : lineNow(blame.text, place);
  return <Ranges key={`${path} ${now}`} {...{ blame, place, now, onCommit, onLeave }} />;
}

interface RangesProps extends BlamedFileProps {
  blame: Blame;
  /** The line that was asked about, as it is numbered now. */
  now: number | undefined;
}

function Ranges({ blame, place, now, onCommit, onLeave }: RangesProps): ReactElement {
  const { ranges, complete, conversations } = blame;
  const [chosen, setChosen] = useState(now === undefined ? undefined : rangeAt(ranges, now));
  const hasTurns = ranges.some(({ turn }) => turn !== undefined);
  return (
    <>
      <section aria-label="Chosen lines" aria-live="polite" className="blame-chosen">
        {chosen === undefined ? (
          <p>
            {place.text === undefined
              ? `The file has only ${count(blame.lines, 'line')} now.`
              : 'This line is no longer in the file: it was changed or removed since.'}
          </p>
        ) : (
          <ChosenRange {...{ blame, chosen, onCommit, onLeave }} line={now} />
        )}
      </section>
      {!complete && <p className="blame-facts">Not everything could be looked at: lines may have a turn after all.</p>}
      {!hasTurns && conversations === 0 && (
        <p className="blame-facts">No conversation is known to have changed this file.</p>
      )}
      <RangeList blame={blame} chosen={chosen} onChoose={setChosen} />
    </>
  );
}

interface ChosenRangeProps {
  blame: Blame;
  chosen: number;
  /** The line that was asked about. */
  line: number | undefined;
  onCommit: BlamedFileProps['onCommit'];
  onLeave: () => void;
}

function ChosenRange({ blame, chosen, line, onCommit, onLeave }: ChosenRangeProps): ReactElement | null {
  const range = blame.ranges[chosen];
  const block = range?.block;
  const node = useNodesOf(block === undefined ? [] : [block]).get(block ?? '');
  if (range === undefined) return null;
  const { start, end, turn, commit } = range;
  const writer = turn === undefined ? undefined : blame.turns[turn];
  const facts = commit === undefined ? undefined : blame.commits[commit];
  const at = line !== undefined && start <= line && line <= end ? line : start;
  return (
    <>
      <p className="blame-line">
        <span className="blame-number">{at}</span>
        <code>{blame.text[at - 1]}</code>
      </p>
      {writer === undefined ? (
        <NotKnown blame={blame} onLeave={onLeave} />
      ) : (
        <TurnLink
          turn={writer}
          shown={block === undefined || node === undefined ? undefined : { node, block }}
          onLeave={onLeave}
        />
      )}
      <CommitLine commit={facts} directory={blame.directory} onCommit={onCommit} />
    </>
  );
}

/** Returns the messages that blocks are in, as soon as they are known. */
function useNodesOf(blocks: readonly string[]): ReadonlyMap<string, string> {
  const { call } = useWorkHost();
  const { value } = useAsked(blocks.length === 0 ? undefined : blocks.join(' '), async () => {
    const { places } = await call('block.locate', { blocks: [...blocks] });
    return new Map(places.map(({ block_id: block, node }) => [block, node]));
  });
  return value ?? none;
}

const none: ReadonlyMap<string, string> = new Map();

/** Says that no turn is known, and which commands may have written the lines. */
function NotKnown({ blame: { commands }, onLeave }: { blame: Blame; onLeave: () => void }): ReactElement {
  const nodes = useNodesOf(commands.map(({ block }) => block));
  return (
    <div className="blame-turn">
      <p>
        <strong>Not known.</strong> No conversation recorded that a turn wrote this: a person, a command or another
        program may have.
      </p>
      {commands.length > 0 && (
        <>
          <p className="blame-facts">These commands name the file; what they changed was not recorded:</p>
          <ul>
            {commands.map(({ root, block, command }) => {
              const node = nodes.get(block);
              return (
                <li key={block} onClick={onLeave}>
                  <PlaceLink
                    place={{ name: 'conversation', root, ...(node === undefined ? {} : { node, block }) }}
                    className="blame-command"
                  >
                    {command}
                  </PlaceLink>
                </li>
              );
            })}
          </ul>
        </>
      )}
    </div>
  );
}

interface CommitLineProps {
  commit: Commit | undefined;
  directory: string | undefined;
  onCommit: BlamedFileProps['onCommit'];
}

function CommitLine({ commit, directory, onCommit }: CommitLineProps): ReactElement {
  if (commit === undefined || directory === undefined) {
    return <p className="blame-facts">{directory === undefined ? 'In no repository.' : 'Not committed yet.'}</p>;
  }
  return (
    <p className="blame-facts">
      {commitWords(commit, Date.now())}{' '}
      <button type="button" className="text-button" onClick={() => onCommit(directory, commit.sha)}>
        Turns behind this commit
      </button>
    </p>
  );
}
