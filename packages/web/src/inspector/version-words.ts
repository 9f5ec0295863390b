import type { ResultOf } from '@loom/kernel';
import { count } from '../words/amounts.ts';

type Version = ResultOf<'block.history'>[number];

/** What made a version of a block: `Version 3, edited: 12 characters added, 4 deleted`. */
export function versionWords({ version, what, inserted, deleted, status }: Version): string {
  const did = what.includes('added')
    ? status === 'done'
      ? 'written'
      : 'begun'
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
  const isEdit = did === 'edited' || did === 'replaced';
  return `Version ${version}, ${did}${isEdit && changes.length > 0 ? `: ${changes.join(', ')}` : ''}`;
}
