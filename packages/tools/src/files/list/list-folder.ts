import { z } from 'zod';
import { walk } from '../../folder/walk.ts';
import type { ReadingCode } from '../file-call.ts';
import { shownPath } from '../shown-path.ts';

const params = z.strictObject({
  path: z.string().min(1).exactOptional(),
  depth: z.int().min(1).max(100).exactOptional(),
});

/** The code of the tool `list`. */
export const listFolderCode: ReadingCode<z.infer<typeof params>> = {
  params,
  pathOf: ({ path = '.' }) => path,
  async run({ path: from = '.', depth = 3 }, { folder, context }) {
    const lines: string[] = [];
    const deep: string[] = [];
    let isCut = false;
    for await (const { path, kind, depth: level } of walk(folder, { from, depth, signal: context.signal })) {
      if (lines.length === mostLines) {
        isCut = true;
        break;
      }
      if (kind === 'folder' && level === depth) deep.push(path);
      const shown = shownPath(kind === 'folder' ? `${path}/` : path);
      lines.push(kind === 'link' ? `${shown} (link)` : shown);
    }
    if (lines.length === 0) return { content: [{ type: 'text', text: `${from} has no files that are listed.` }] };
    const notes = [
      ...(isCut ? [`[Cut after ${mostLines} entries. List one of the folders, or use a smaller depth.]`] : []),
      ...(!isCut && deep.length > 0
        ? [`[Folders at depth ${depth} are not opened. List one of them, or use a larger depth.]`]
        : []),
    ];
    return { content: [{ type: 'text', text: [...lines, ...notes].join('\n') }] };
  },
};

const mostLines = 1_000;
