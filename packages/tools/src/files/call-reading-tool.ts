import type { PreparedCall, ToolOutcome } from '@loom/kernel';
import { ToolMistake } from './file-call.ts';
import type { FileCall, FileScope, ReadingCode } from './file-call.ts';
import { askPermission, mistaken, mistakeIn, openScope, readParams } from './file-scope.ts';

/** Prepares a call that looks at files. */
export async function prepareReading<Params>(code: ReadingCode<Params>, call: FileCall): Promise<PreparedCall> {
  const { memory } = call.parts;
  try {
    const params = readParams(code.params, call);
    const path = await truePath(await openScope(call), code.pathOf(params));
    memory.prepared(call.context.node, { before: new Map([[path, undefined]]) });
    const { permission, rule, rules, reason } = await askPermission(call, 'reads', [path]);
    const because = rule === undefined ? {} : { rule };
    if (permission === 'run') return { permission, ...because };
    const text =
      permission === 'deny' ? (reason ?? `${path} may not be read.`) : `Read ${path}. ${reason ?? ''}`.trim();
    return { permission, preview: [{ type: 'text', text }], ...because, ...(rules === undefined ? {} : { rules }) };
  } catch (error) {
    memory.prepared(call.context.node, { mistake: mistakeIn(error) });
    return { permission: 'run' };
  }
}

/** Runs it. The file that is opened must be the one that the permission was about. */
export async function runReading<Params>(code: ReadingCode<Params>, call: FileCall): Promise<ToolOutcome> {
  const prepared = call.parts.memory.takePrepared(call.context.node);
  if (prepared !== undefined && 'mistake' in prepared) return mistaken(prepared.mistake);
  const permit = async (path: string): Promise<void> => {
    if (prepared?.before.has(path) === true) return;
    const { permission } = await askPermission(call, 'reads', [path]);
    if (permission !== 'run')
      throw new ToolMistake(`${path} is not the file that was asked about. Make the call again.`);
  };
  try {
    const params = readParams(code.params, call);
    return await code.run(params, { ...(await openScope(call)), permit });
  } catch (error) {
    return mistaken(mistakeIn(error));
  }
}

async function truePath({ folder }: FileScope, path: string): Promise<string> {
  await using place = await folder.locate(path);
  return place.path;
}
