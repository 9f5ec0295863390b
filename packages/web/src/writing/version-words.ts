import type { ResultOf } from '@loom/kernel';
import { count } from '../words/amounts.ts';

type Version = ResultOf<'block.history'>[number];

/** Words the origin of a version of a block, numbered as readers count them: `Version 3, edited: 12 characters added, 4 deleted`. */
export function versionWords({ what, inserted, deleted, status }: Version, number: number): string {
  const did = what.includes('added')
    ? (ends[status] ?? 'begun')
    : what.includes('replaced')
      ? 'replaced'
      : what.includes('text')
        ? 'edited'
        : status === 'error'
          ? 'broken off'
          : 'finished';
  const changes = [
    ...(inserted > 0 ? [`${count(inserted, 'character')} added`] : []),
    ...(deleted > 0 ? [`${count(deleted, 'character')} deleted`] : []),
  ];
  const isTold = did === 'edited' || did === 'replaced';
  return `Version ${number}, ${did}${isTold && changes.length > 0 ? `: ${changes.join(', ')}` : ''}`;
}

const ends: Readonly<Partial<Record<Version['status'], string>>> = { done: 'written', error: 'broken off' };

/** Returns versions, the oldest first, with the pieces of a model's answer as one: no reader looks for a state between two words of an answer. */
export function gatherVersions(versions: readonly Version[]): Version[] {
  const gathered: Version[] = [];
  for (const version of versions) {
    const last = gathered.at(-1);
    // The beginning of a long history is missing.
    const isWriting =
      last !== undefined && (last.what.includes('added') || (gathered.length === 1 && last.version > 1));
    if (isWriting && goesOn(last, version)) gathered[gathered.length - 1] = joined(last, version);
    else gathered.push(version);
  }
  return gathered;
}

function goesOn(before: Version, { turn, agent, what, deleted }: Version): boolean {
  const isOfTurn = turn !== undefined && turn === before.turn && agent === before.agent;
  return isOfTurn && deleted === 0 && before.status === 'running' && !what.includes('replaced');
}

function joined(before: Version, version: Version): Version {
  return { ...version, what: ['added'], inserted: before.inserted + version.inserted };
}
