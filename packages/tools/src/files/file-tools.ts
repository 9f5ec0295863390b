import type { Clock, Tool } from '@loom/kernel';
import { applyPatchTool } from './apply-patch/apply-patch.ts';
import { editTool } from './edit/edit.ts';
import { FileMemory } from './file-memory.ts';
import { listTool } from './list/list.ts';
import type { DecidePermission } from './permission.ts';
import { readTool } from './read/read.ts';
import { searchTool } from './search/search.ts';
import { writeTool } from './write/write.ts';

/** Makes the tools that work with the files of a conversation's folder. */
export function fileTools({ clock, decide }: { clock: Clock; decide: DecidePermission }): Tool[] {
  const parts = { clock, decide, memory: new FileMemory() };
  return [readTool, writeTool, editTool, applyPatchTool, listTool, searchTool].map((make) => make(parts));
}
