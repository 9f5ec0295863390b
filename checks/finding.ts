/** One thing that a check found wrong. `file` is relative to the root; `message` says what to do about it. */
export interface Finding {
  readonly file: string;
  readonly line?: number;
  readonly message: string;
}

/** A check looks at the repository in a directory and returns what is wrong with it; nothing found means that it passes. */
export type Check = (root: string) => Finding[] | Promise<Finding[]>;

export function formatFinding({ file, line, message }: Finding): string {
  return `${file}${line === undefined ? '' : `:${line}`}  ${message}`;
}
