import type { MessageBlock } from '@loom/blocks';
import type { ForestOp, HomeOp, NodeFields, NodeSeed, RootOp } from './op.ts';

/** The ops of format 2 can be read by any Loom that keeps times of turns; a log or a file takes 3 only for ops that 2 cannot express. */
const base = 2;
const newest = 3;

/** The number that a change of a root, of the list of roots or of a home needs. */
export function formatOfChange({ ops }: { readonly ops: readonly (RootOp | ForestOp | HomeOp)[] }): number {
  return ops.some(isNew) ? newest : base;
}

/** The number that the file of a node needs. */
export function formatOfNode(node: NewFieldsOfNode & { blocks: readonly MessageBlock[] }): number {
  return isNewNode(node) ? newest : base;
}

/** The number that the file of a root needs. */
export function formatOfRoot({
  archived,
  project,
  undoneFiles,
}: {
  archived: boolean;
  project: string | undefined;
  undoneFiles: { readonly size: number };
}): number {
  return archived || project !== undefined || undoneFiles.size > 0 ? newest : base;
}

function isNew(op: RootOp | ForestOp | HomeOp): boolean {
  switch (op.type) {
    case 'text-appended':
    case 'text':
    case 'status':
      return false;
    case 'output':
    case 'files-undone':
    case 'loss-acknowledged':
    case 'home-set':
      return true;
    case 'node-added':
      return isNewNode(op.node);
    case 'node-changed':
      return areNewFields(op.set);
    case 'block-added':
    case 'block-changed':
      return isNewBlock(op.block);
    case 'message-waiting':
      return op.credential !== undefined || op.blocks.some(isNewBlock);
    case 'root-changed':
      return op.archived !== undefined || op.project !== undefined;
    case 'turn-started':
      return (
        op.started_by !== undefined ||
        op.leaves_calls !== undefined ||
        op.credential !== undefined ||
        op.beyond_limits !== undefined
      );
    case 'turn-ended':
      return op.reason === 'limit';
    case 'approval':
      return (
        op.scope !== undefined ||
        op.rules !== undefined ||
        op.answers !== undefined ||
        op.arguments_changed !== undefined
      );
    default:
      return false;
  }
}

type NewFieldsOfNode = Pick<NodeSeed, 'notice' | 'draft'>;

function isNewNode({ notice, draft, blocks }: NewFieldsOfNode & { blocks: readonly MessageBlock[] }): boolean {
  return notice !== undefined || draft !== undefined || blocks.some(isNewBlock);
}

function areNewFields({ origin, notice, ask }: NodeFields): boolean {
  if (origin !== undefined || notice !== undefined) return true;
  return (
    ask?.questions !== undefined ||
    ask?.rules !== undefined ||
    ask?.modes !== undefined ||
    (ask?.preview ?? []).some(isNewBlock)
  );
}

function isNewBlock(block: MessageBlock): boolean {
  if (block.purged !== undefined) return true;
  if (block.type === 'command') return isNewOutput(block.stdout) || isNewOutput(block.stderr);
  if (block.type !== 'file-change') return false;
  return block.changes.some(
    ({ before, after, mode }) => before !== undefined || after !== undefined || mode !== undefined,
  );
}

function isNewOutput(output: unknown): boolean {
  return (
    typeof output === 'object' && output !== null && (!('blob' in output) || 'tail' in output || 'printed' in output)
  );
}
