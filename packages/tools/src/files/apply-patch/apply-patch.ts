import type { Tool } from '@loom/kernel';
import type { FileToolParts } from '../file-call.ts';
import { changingTool } from '../file-tool.ts';

/** Applies a patch to files of the conversation's folder. */
export function applyPatchTool(parts: FileToolParts): Tool {
  return changingTool(
    {
      name: 'apply_patch',
      description:
        'Changes one or more files by a patch; either all of it is applied or nothing. Takes a patch between "*** Begin Patch" and "*** End Patch", ' +
        'with sections "*** Add File: path", "*** Delete File: path" and "*** Update File: path" ("*** Move to: path" renames; "@@" starts a chunk; lines begin with " ", "-" or "+"), ' +
        'or a unified diff. Lines with " " or "-" must be in the file exactly as given. Existing files must have been read first.',
      parameters: {
        type: 'object',
        properties: { patch: { type: 'string', description: 'The whole patch.' } },
        required: ['patch'],
        additionalProperties: false,
      },
      family: 'gpt',
      load: async () => (await import('./patch-files.ts')).patchFilesCode,
    },
    parts,
  );
}
