import type { Tool } from '@loom/kernel';
import type { FileToolParts } from '../file-call.ts';
import { changingTool } from '../file-tool.ts';

/** Writes a whole file of the conversation's folder. */
export function writeTool(parts: FileToolParts): Tool {
  return changingTool(
    {
      name: 'write',
      description:
        'Writes a whole file of the folder: creates it, with the folders it needs, or replaces its content. ' +
        'An existing file must have been read first. To change a part of a file, use edit or apply_patch instead.',
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'The path of the file, relative to the folder.' },
          content: { type: 'string', description: 'The complete content of the file.' },
        },
        required: ['path', 'content'],
        additionalProperties: false,
      },
      family: 'other',
      load: async () => (await import('./write-file.ts')).writeFileCode,
    },
    parts,
  );
}
