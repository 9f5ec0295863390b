import type { Tool } from '@loom/kernel';
import type { FileToolParts } from '../file-call.ts';
import { readingTool } from '../file-tool.ts';

/** Searches the files of the conversation's folder. */
export function searchTool(parts: FileToolParts): Tool {
  return readingTool(
    {
      name: 'search',
      description:
        'Searches the text files of the folder for a regular expression (RE2 syntax), line by line. Returns path:line and the line, with line numbers from 0 as in read. ' +
        'Files that .gitignore names, binary files and files that hold secrets are left out.',
      parameters: {
        type: 'object',
        properties: {
          pattern: { type: 'string', description: 'The regular expression.' },
          path: { type: 'string', description: 'A file or folder to search in. Default: the whole folder.' },
          glob: { type: 'string', description: 'Only files that match, such as *.ts or src/**/*.{ts,tsx}.' },
          ignore_case: { type: 'boolean', description: 'Ignore upper and lower case. Default: false.' },
          context: { type: 'integer', minimum: 0, description: 'Lines to show around each match. Default: 0.' },
          limit: { type: 'integer', minimum: 1, description: 'The most matching lines. Default: 100.' },
        },
        required: ['pattern'],
        additionalProperties: false,
      },
      load: async () => (await import('./search-files.ts')).searchFilesCode,
    },
    parts,
  );
}
