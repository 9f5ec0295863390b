import { formatProblems } from '@loom/blocks';
import type { Refusal } from '@loom/kernel';

/** Returns the reason a file's edit was refused, for the user who made it in an editor. */
export function wordsForEditor(refusal: Refusal): string {
  switch (refusal.reason) {
    case 'root-not-found':
    case 'root-deleted':
      return `the conversation ${refusal.root} is deleted; restore it and edit the file again`;
    case 'node-deleted':
      return `${refusal.node} is deleted; restore it and edit the file again`;
    case 'block-not-found':
      return `the block ${refusal.block} is not in this node any more`;
    case 'turn-live':
      return `${refusal.node} is still being written; only its texts can be edited meanwhile`;
    case 'bad-status':
      return `the block ${refusal.block} is still being written; only texts can be edited meanwhile`;
    case 'changed-since':
      return `the block ${refusal.ids.join(', ')} was changed here too, and has no text that could be merged`;
    case 'empty-message':
      return `${refusal.node ?? 'the message'} would be empty; delete the node instead`;
    case 'invalid-params':
      return `the file does not fit: ${formatProblems(refusal.problems)}`;
    default:
      return `the conversation does not take this edit (${refusal.reason})`;
  }
}
