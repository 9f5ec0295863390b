import type { StoreProblem } from '@loom/stores/maintenance';

/** Something in a data folder that is not as it should be, or was not. */
export interface Finding extends Omit<StoreProblem, 'what'> {
  what: StoreProblem['what'] | 'head' | 'unlisted-log' | 'blob' | 'file' | 'quarantine' | 'older-data';
}

/** What an examination came to. */
export interface Examination {
  roots: number;
  nodes: number;
  blobs: number;
  findings: Finding[];
}
