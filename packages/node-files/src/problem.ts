/** The effect of a problem on the reader: something cannot be shown, was repaired in memory, or was left alone. */
export type ProblemEffect = 'unreadable' | 'repaired' | 'ignored';

const effects = {
  'directory-unreadable': 'unreadable',
  'node-missing': 'unreadable',
  'node-not-a-file': 'unreadable',
  'node-file-unreadable': 'unreadable',
  'node-too-large': 'unreadable',
  'node-too-deep': 'unreadable',
  'node-json-invalid': 'unreadable',
  'node-shape-invalid': 'unreadable',
  'node-message-invalid': 'unreadable',
  'node-arguments-invalid': 'unreadable',
  'node-format-newer': 'unreadable',
  'root-format-newer': 'unreadable',
  'root-name-unusable': 'unreadable',
  'child-missing': 'unreadable',
  'root-folder-missing': 'unreadable',
  'folder-unreadable': 'unreadable',
  'roots-invalid': 'repaired',
  'root-entry-invalid': 'repaired',
  'root-file-invalid': 'repaired',
  'root-not-listed': 'repaired',
  'prompt-lifted': 'repaired',
  'id-mismatch': 'repaired',
  'links-invalid': 'repaired',
  'metadata-invalid': 'repaired',
  'number-out-of-range': 'repaired',
  'parent-repaired': 'repaired',
  'parent-unreadable': 'repaired',
  'child-list-repaired': 'repaired',
  'orphan-node': 'repaired',
  'cycle-broken': 'repaired',
  'file-ignored': 'ignored',
  'link-ignored': 'ignored',
} as const satisfies Record<string, ProblemEffect>;

export type NodeFileCode = keyof typeof effects;

/** The arguments of a tool call that are not a JSON object. */
export interface BadToolArguments {
  toolCallId: string;
  toolName: string;
  rawArguments: string;
  parseError: string;
}

/** A problem with a file. The message says what was done, or what a user can do. */
export interface NodeFileProblem {
  code: NodeFileCode;
  effect: ProblemEffect;
  file: string;
  message: string;
  /** Of `node-arguments-invalid`. */
  toolArguments?: BadToolArguments;
}

/** A file that had to be readable is not. Nothing was changed. */
export class NodeFileError extends Error {
  readonly code: NodeFileCode;
  readonly file: string;
  readonly problem: NodeFileProblem;

  constructor(problem: NodeFileProblem) {
    super(`${problem.file}: ${problem.message}`);
    this.name = 'NodeFileError';
    this.code = problem.code;
    this.file = problem.file;
    this.problem = problem;
  }
}

export function describeProblem(
  code: NodeFileCode,
  file: string,
  message: string,
  toolArguments?: BadToolArguments,
): NodeFileProblem {
  const problem: NodeFileProblem = { code, effect: effects[code], file, message };
  return toolArguments === undefined ? problem : { ...problem, toolArguments };
}
