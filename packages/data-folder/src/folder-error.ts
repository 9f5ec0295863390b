/** The reason a data folder cannot be used, as data: each entry point words the remedy for its users. */
export type FolderProblem =
  /** Another process writes there; its address is given if it listens. */
  | { code: 'locked'; folder: string; pid?: number; address?: string }
  | { code: 'lock-denied'; file: string }
  | { code: 'not-writable'; folder: string; why: 'not-made' | 'read-only-medium' }
  | { code: 'no-data'; folder: string }
  | { code: 'two-stores'; folder: string; database: string }
  | { code: 'not-empty'; folder: string }
  | { code: 'not-movable'; folder: string }
  /** `aside`: the folder with the previous contents. */
  | { code: 'restoration-cut-short'; folder: string; why: string; aside?: string }
  | { code: 'restoration-unknown'; folder: string; journal: string };

/** A data folder cannot be used; nothing in it was changed. */
export class FolderError extends Error {
  readonly problem: FolderProblem;

  constructor(problem: FolderProblem, options?: ErrorOptions) {
    super(describe(problem), options);
    this.name = 'FolderError';
    this.problem = problem;
  }

  get code(): FolderProblem['code'] {
    return this.problem.code;
  }
}

function describe(problem: FolderProblem): string {
  switch (problem.code) {
    case 'locked': {
      const { folder, pid, address } = problem;
      const at = address === undefined ? '' : ` at ${address}`;
      const process = pid === undefined ? 'another process' : `another loom (process ${pid}${at})`;
      return `${process} is writing to ${folder}`;
    }
    case 'lock-denied':
      return `${problem.file} cannot be opened`;
    case 'not-writable':
      return problem.why === 'not-made'
        ? `the data folder ${problem.folder} cannot be made`
        : `the data folder ${problem.folder} is on a read-only medium`;
    case 'no-data':
      return `there is no conversation in ${problem.folder}`;
    case 'two-stores':
      return `${problem.folder} holds two stores: ${problem.database}, and logs in files`;
    case 'not-empty':
      return `${problem.folder} already holds data`;
    case 'not-movable':
      return `${problem.folder} is a mount point, and restored data is prepared beside the folder`;
    case 'restoration-cut-short':
      return `a restoration of ${problem.folder} was cut short: ${problem.why}`;
    case 'restoration-unknown':
      return `a restoration of ${problem.folder} was cut short, and ${problem.journal} is damaged`;
  }
}
