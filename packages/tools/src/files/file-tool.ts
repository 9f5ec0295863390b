import type { Tool, ToolDescription } from '@loom/kernel';
import type { ChangingCode, FileToolParts, ReadingCode } from './file-call.ts';

/** A file tool as models see it, and how its code is loaded by the first call. */
export interface FileToolRow<Code> extends ToolDescription, Pick<Tool, 'family'> {
  load: () => Promise<Code>;
}

/** Makes a tool that looks at files. */
export function readingTool<Params>(row: FileToolRow<ReadingCode<Params>>, parts: FileToolParts): Tool {
  const { load, ...description } = row;
  const loadBoth = async () => ({ ...(await import('./call-reading-tool.ts')), code: await load() });
  return {
    ...description,
    group: 'files',
    effect: 'reads',
    needsFolder: true,
    async prepare(invocation, context) {
      const { prepareReading, code } = await loadBoth();
      return prepareReading(code, { invocation, context, parts });
    },
    async run(invocation, context) {
      const { runReading, code } = await loadBoth();
      return runReading(code, { invocation, context, parts });
    },
  };
}

/** Makes a tool that changes files. */
export function changingTool<Params>(row: FileToolRow<ChangingCode<Params>>, parts: FileToolParts): Tool {
  const { load, ...description } = row;
  const loadBoth = async () => ({ ...(await import('./call-changing-tool.ts')), code: await load() });
  return {
    ...description,
    group: 'files',
    effect: 'changes',
    needsFolder: true,
    async prepare(invocation, context) {
      const { prepareChanges, code } = await loadBoth();
      return prepareChanges(code, { invocation, context, parts });
    },
    async run(invocation, context, out) {
      const { runChanges, code } = await loadBoth();
      return runChanges(code, { invocation, context, parts }, out);
    },
  };
}
