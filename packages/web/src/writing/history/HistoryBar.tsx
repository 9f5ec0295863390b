import { useEffect, useMemo, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { diffSplices } from '@loom/blocks';
import { agentName } from '../../conversation/agent-name.ts';
import type { OpenConversation } from '../../conversation/open-conversation.ts';
import type { EditedText } from '../../editor/edited-text.ts';
import { useAsked } from '../../stores/use-asked.ts';
import { usePart } from '../../stores/use-part.ts';
import { useRested } from '../../stores/use-rested.ts';
import { piecesOfChange } from '../../words/pieces-of-change.ts';
import type { ChangedPiece } from '../../words/pieces-of-change.ts';
import { exactTime, messageTime } from '../../words/times.ts';
import { useWorkHost } from '../../work/work-host.ts';
import { whoColor } from '../presence/who-color.ts';
import { readHistory, readText } from './history-reading.ts';
import { historySteps } from './history-steps.ts';
import type { HistoryStep } from './history-steps.ts';
import { flipEdits } from './take-back.ts';

/** An earlier text, with what its last step changed. */
export interface Past {
  readonly version: number;
  readonly pieces: readonly ChangedPiece[];
}

interface HistoryBarProps {
  conversation: OpenConversation;
  block: string;
  text: EditedText;
  /** Called with the text to show, or nothing for the one of now. */
  onPast: (past: Past | undefined) => void;
}

/** The time that a step is shown while the history is played, in milliseconds. */
const pace = 700;
/** More marks than this are a gray bar. */
const mostMarks = 150;

/** The versions of a text on a line: walked by arrows, played, taken back one by one, and restored. */
export function HistoryBar({ conversation, block, text, onPast }: HistoryBarProps): ReactElement {
  const { call, attempt, tell } = useWorkHost();
  const watched = conversation.watch.block(block);
  const version = usePart(watched, (known) => known?.version ?? 1);
  const settled = useRested(watched, 600)?.version ?? 1;
  const { value, failure } = useAsked(`${block} ${settled}`, () => readHistory(call, block));
  const steps = useMemo(() => historySteps(value ?? []), [value]);
  const [at, setAt] = useState<number>();
  const [isPlaying, setPlaying] = useState(false);
  const last = steps.length - 1;
  const index =
    at === undefined
      ? last
      : Math.max(
          0,
          steps.findLastIndex((step) => step.version <= at),
        );
  const step = steps[index];
  const before = steps[index - 1]?.version;
  const shown = at === undefined || index === last ? undefined : step?.version;
  usePast({ block, shown, before, onPast });
  const go = (to: number): void => setAt(to >= last ? undefined : steps[to]?.version);
  useEffect(() => {
    if (!isPlaying) return undefined;
    const timer = setTimeout(() => {
      if (index >= last) setPlaying(false);
      else setAt(index + 1 >= last ? undefined : steps[index + 1]?.version);
    }, pace);
    return () => clearTimeout(timer);
  }, [isPlaying, index, last, steps]);
  const play = (): void => {
    if (!isPlaying && index >= last) setAt(steps[0]?.version);
    setPlaying(!isPlaying);
  };
  const restore = async (): Promise<void> => {
    if (shown === undefined) return;
    const old = await readText(call, block, shown);
    text.edit(diffSplices(text.text(), old), true);
    setAt(undefined);
    tell(`The text of version ${shown} is the newest now.`, { label: 'Undo', run: () => text.undo() });
  };
  if (failure !== undefined) return <p className="editor-failure">{failure}</p>;
  if (step === undefined) return <p className="history-bar aside">Reading the history…</p>;
  return (
    <section className="history-bar" aria-label="History">
      <span className="history-number">
        Version {shown ?? version} of {version}
      </span>
      <div className="history-line">
        <Marks steps={steps} />
        <input
          type="range"
          min={0}
          max={Math.max(0, last)}
          value={index}
          disabled={last <= 0}
          aria-label="Version"
          aria-valuetext={`Version ${shown ?? version} of ${version}`}
          onChange={(event) => {
            setPlaying(false);
            go(Number(event.target.value));
          }}
          onKeyDown={(event) => {
            if (event.key !== ' ') return;
            event.preventDefault();
            play();
          }}
        />
      </div>
      <button type="button" className="text-button" disabled={last <= 0} onClick={play}>
        {isPlaying ? 'Pause' : 'Replay'}
      </button>
      <button
        type="button"
        className="button"
        disabled={shown === undefined || !text.isOpen()}
        onClick={() => attempt(restore)}
      >
        Restore
      </button>
      <StepLine block={block} step={step} />
    </section>
  );
}

/** Reads the chosen text and the one before it, and shows the difference. */
function usePast({
  block,
  shown,
  before,
  onPast,
}: {
  block: string;
  shown: number | undefined;
  before: number | undefined;
  onPast: HistoryBarProps['onPast'];
}): void {
  const { call, attempt } = useWorkHost();
  const texts = useRef(new Map<number, Promise<string>>());
  const show = useRef(onPast);
  useEffect(() => {
    show.current = onPast;
  });
  useEffect(() => () => show.current(undefined), []);
  useEffect(() => {
    if (shown === undefined) {
      show.current(undefined);
      return undefined;
    }
    let isWanted = true;
    // Earlier versions never change.
    const read = (version: number): Promise<string> => {
      const known = texts.current.get(version) ?? readText(call, block, version);
      texts.current.set(version, known);
      known.catch(() => texts.current.delete(version));
      return known;
    };
    attempt(async () => {
      const [old, now] = await Promise.all([before === undefined ? '' : read(before), read(shown)]);
      if (isWanted) show.current({ version: shown, pieces: piecesOfChange(old, now) });
    });
    return () => {
      isWanted = false;
    };
  }, [block, shown, before, call, attempt]);
}

/** One step: who did what, and when, with the way to take it back alone. */
function StepLine({ block, step }: { block: string; step: HistoryStep }): ReactElement {
  const { agent: reader, call, attempt } = useWorkHost();
  const { agent, inserted, deleted, time, edit, versions } = step;
  const flip = (how: 'undo' | 'redo') => (): void =>
    attempt(() => flipEdits(call, { block, versions: new Set(versions.map(({ version }) => version)), how }));
  return (
    <p className="history-step">
      <span className={`who who-${whoColor(agent, reader)}`}>
        <span className="who-name">{agentName(agent, reader)}</span>
      </span>
      <span className="line-counts">
        <span className="added">+{inserted}</span> <span className="deleted">−{deleted}</span>
      </span>
      <time dateTime={time} title={exactTime(Date.parse(time))}>
        {messageTime(Date.parse(time), Date.now())}
      </time>
      <span className="grow" />
      {edit === 'done' && (
        <button type="button" className="text-button" onClick={flip('undo')}>
          Undo this edit
        </button>
      )}
      {edit === 'undone' && (
        <button type="button" className="text-button" onClick={flip('redo')}>
          Redo this edit
        </button>
      )}
      <span className="aside">leaves everyone else’s text</span>
    </p>
  );
}

function Marks({ steps }: { steps: readonly HistoryStep[] }): ReactElement | null {
  const { agent: reader } = useWorkHost();
  if (steps.length > mostMarks || steps.length < 2) return null;
  return (
    <span className="history-marks" aria-hidden="true">
      {steps.map(({ agent, version, edit }) => (
        <span
          key={version}
          className={`history-mark history-mark-${whoColor(agent, reader)}${edit === 'undone' ? ' history-mark-undone' : ''}`}
        />
      ))}
    </span>
  );
}
