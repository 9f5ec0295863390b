import { isModel } from '../presence/who-color.ts';
import { gatherVersions } from '../version-words.ts';
import type { Version } from './history-reading.ts';

/** The work of one agent on a text in one go: a stream, a burst of typing, a call. */
export interface HistoryStep {
  readonly agent: string;
  /** The versions it consists of, the oldest first. */
  readonly versions: readonly Version[];
  /** The version that it ends with. */
  readonly version: number;
  readonly time: string;
  readonly inserted: number;
  readonly deleted: number;
  /** True if it only says that writing has begun or ended. */
  readonly isSilent: boolean;
  /** Absent for what cannot be undone alone: the first text, an undo, a replacement. */
  readonly edit?: NonNullable<Version['edit']>;
}

/** Typing of one agent with shorter pauses is one step, in milliseconds. */
const pause = 5000;

/** Gathers the versions of a text, the oldest first, into the steps that a reader knows. */
export function historySteps(versions: readonly Version[]): HistoryStep[] {
  const steps: { -readonly [Name in keyof HistoryStep]: HistoryStep[Name] }[] = [];
  for (const version of gatherVersions(versions)) {
    const { agent, time, inserted, deleted, edit, what } = version;
    const last = steps.at(-1);
    const before = last?.versions.at(-1);
    const isMore =
      last !== undefined &&
      before !== undefined &&
      last.agent === agent &&
      last.edit === edit &&
      edit !== undefined &&
      // A model does not type: each of its edits is a call, which its reader accepts or takes back alone.
      !isModel(agent) &&
      !last.versions.some((one) => one.what.includes('added')) &&
      Date.parse(time) - Date.parse(before.time) <= pause;
    if (isMore) {
      last.versions = [...last.versions, version];
      last.version = version.version;
      last.time = time;
      last.inserted += inserted;
      last.deleted += deleted;
      continue;
    }
    const isSilent = inserted + deleted === 0 && !what.includes('added') && !what.includes('replaced');
    const facts = { agent, versions: [version], version: version.version, time, inserted, deleted, isSilent };
    steps.push(edit === undefined ? facts : { ...facts, edit });
  }
  return steps.filter(({ isSilent }, index) => !isSilent || index === 0);
}
