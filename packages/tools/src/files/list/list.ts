import type { Tool } from '@loom/kernel';
import type { FileToolParts } from '../file-call.ts';
import { readingTool } from '../file-tool.ts';

/** Lists the files of the conversation's folder. */
export function listTool(parts: FileToolParts): Tool {
  return readingTool(
    {
      name: 'list',
      description:
        'Lists the files below a folder, one path per line; folders end with "/". Files that .gitignore names are left out. ' +
        'A long list is cut, and its end says how to see the rest.',
      parameters: {
        type: 'object',
        properties: {
          path: {
            type: 'string',
            description: "The path of a folder, relative to the conversation's folder. Default: that folder.",
          },
          depth: { type: 'integer', minimum: 1, description: 'How many levels to show. Default: 3.' },
        },
        additionalProperties: false,
      },
      load: async () => (await import('./list-folder.ts')).listFolderCode,
    },
    parts,
  );
}
