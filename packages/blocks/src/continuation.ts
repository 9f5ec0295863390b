import { isPlainObject } from './values/plain-object.ts';

/** The ways in which an agent comes to know a branch. */
export const waysToContinue = ['own-session', 'fork', 'session', 'text', 'new'] as const;
type WayToContinue = (typeof waysToContinue)[number];

/** The way in which an agent goes on with a branch, and the parts of the branch that it does not get. */
export interface Continuation {
  how: WayToContinue;
  /** Parts of the branch in a word or two, such as `pictures`. */
  loses?: readonly string[];
}

/** Reads the note that an agent's turn begins with; `undefined` where it has none, or there was nothing to go on from. */
export function continuationIn(note: Readonly<Record<string, unknown>> | undefined): Continuation | undefined {
  const noted = note?.['continued'];
  const { how: given, loses } = isPlainObject(noted) ? noted : {};
  const how = waysToContinue.find((way) => way === given);
  if (how === undefined || how === 'new') return undefined;
  const lost = Array.isArray(loses) ? loses.filter((part) => typeof part === 'string') : [];
  return lost.length === 0 ? { how } : { how, loses: lost };
}

/** Says in a few words how an agent has gone on, beside its name: `was given the branch as text, without pictures`. */
export function continuedWords({ how, loses }: Continuation): string {
  return `${past[how]}${without(loses)}`;
}

/** Says in a sentence how an agent would go on: `Codex gets this branch as a session.` */
export function continuationWords(agent: string, { how, loses }: Continuation): string {
  return `${agent} ${future[how]}${without(loses)}.`;
}

const past: Readonly<Record<WayToContinue, string>> = {
  'own-session': 'went on in its own session',
  fork: 'forked its own session',
  session: 'was given the branch as a session',
  text: 'was given the branch as text',
  new: 'began a session',
};

const future: Readonly<Record<WayToContinue, string>> = {
  'own-session': 'goes on in its own session',
  fork: 'forks its own session here',
  session: 'gets this branch as a session',
  text: 'gets this branch as text',
  new: 'begins a session',
};

function without(loses: readonly string[] = []): string {
  if (loses.length === 0) return '';
  const last = loses.at(-1) ?? '';
  return `, without ${loses.length === 1 ? last : `${loses.slice(0, -1).join(', ')} and ${last}`}`;
}
