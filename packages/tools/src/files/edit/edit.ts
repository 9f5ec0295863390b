import type { Tool } from '@loom/kernel';
import type { FileToolParts } from '../file-call.ts';
import { changingTool } from '../file-tool.ts';

/** Replaces passages of a file of the conversation's folder. */
export function editTool(parts: FileToolParts): Tool {
  return changingTool(
    {
      name: 'edit',
      description:
        'Replaces passages of one file. Each old_text must be copied exactly from the file, without line numbers, and occur once; add lines around it to make it unique, or set replace_all. ' +
        'All edits refer to the file as it is before the call and must not overlap; either all of them are made or none. The file must have been read first.',
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'The path of the file, relative to the folder.' },
          edits: {
            type: 'array',
            minItems: 1,
            items: {
              type: 'object',
              properties: {
                old_text: { type: 'string', description: 'The exact text to replace.' },
                new_text: { type: 'string', description: 'The text that comes instead; empty to delete.' },
                replace_all: { type: 'boolean', description: 'Replace every occurrence. Default: false.' },
              },
              required: ['old_text', 'new_text'],
              additionalProperties: false,
            },
          },
        },
        required: ['path', 'edits'],
        additionalProperties: false,
      },
      family: 'other',
      load: async () => (await import('./edit-file.ts')).editFileCode,
    },
    parts,
  );
}
