import type { Tool } from '@loom/kernel';
import type { FileToolParts } from '../file-call.ts';
import { readingTool } from '../file-tool.ts';

/** Reads a file of the conversation's folder. */
export function readTool(parts: FileToolParts): Tool {
  return readingTool(
    {
      name: 'read',
      description:
        'Reads a file of the folder. Every line is shown as its number, a tab and its text; numbers count from 0, and end_line is exclusive. ' +
        'Pictures are returned as pictures. A long file is cut, and the end of the result says how to read the rest. ' +
        'A file must be read before it can be changed.',
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'The path of the file, relative to the folder.' },
          start_line: { type: 'integer', minimum: 0, description: 'The first line, counted from 0. Default: 0.' },
          end_line: {
            type: 'integer',
            minimum: 0,
            description: 'The line to stop before. Default: as far as it fits.',
          },
        },
        required: ['path'],
        additionalProperties: false,
      },
      load: async () => (await import('./read-file.ts')).readFileCode,
    },
    parts,
  );
}
