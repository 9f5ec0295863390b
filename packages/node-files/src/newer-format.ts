import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { nodeFormat } from '@loom/kernel/logs';

/** The format that a file names, if it is one that this Loom does not know: the Loom that wrote it may have said what cannot be read here. */
export function newerFormat(named: unknown): number | undefined {
  return typeof named === 'number' && named > nodeFormat ? named : undefined;
}

/** Where a node file names its format; `root.json` and `roots.json` name it at the top. */
export function formatOfNode({ metadata }: PlainObject): unknown {
  return isPlainObject(metadata) ? metadata['format'] : undefined;
}

/** What is wrong with a file of a newer format, and what a person can do. */
export function describeNewerFormat(format: number): string {
  return `is of format ${format}, and this Loom knows ${nodeFormat}; open it with a newer Loom`;
}
