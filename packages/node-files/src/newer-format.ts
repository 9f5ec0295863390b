import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { nodeFormat } from '@loom/kernel/logs';

/** Returns the format that a file names, if this Loom does not know it: the Loom that wrote it may have used forms that cannot be read here. */
export function newerFormat(named: unknown): number | undefined {
  return typeof named === 'number' && named > nodeFormat ? named : undefined;
}

/** Returns the format that a node file names; `root.json` and `roots.json` name it at the top. */
export function formatOfNode({ metadata }: PlainObject): unknown {
  return isPlainObject(metadata) ? metadata['format'] : undefined;
}

/** Returns the problem with a file of a newer format, and the remedy. */
export function describeNewerFormat(format: number): string {
  return `is of format ${format}, and this Loom knows ${nodeFormat}; open it with a newer Loom`;
}
