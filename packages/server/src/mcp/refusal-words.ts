import { flatName, modelWords } from '@loom/kernel';
import type { Refusal, RefusalOf, RefusalReason } from '@loom/kernel';

/** A refusal in words for the model behind an MCP client: what happened, and which tool to call next. */
export function mcpWords(refusal: Refusal): string {
  return wordsOf(refusal);
}

function wordsOf<Reason extends RefusalReason>(refusal: RefusalOf<Reason>): string {
  return words[refusal.reason]?.(refusal) ?? modelWords(refusal);
}

/** The refusals that this door words itself; the rest names no tool and is worded as for every model. */
const words: { readonly [Reason in RefusalReason]?: (refusal: RefusalOf<Reason>) => string } = {
  'root-not-found': ({ root }) =>
    `There is no conversation ${root}. Call root_list to see which exist, with their ids.`,
  'root-deleted': ({ root }) =>
    `The conversation ${root} is deleted and cannot be changed. Only a person can bring it back; use another one, or root_create.`,
  'node-not-found': ({ node }) =>
    `There is no message ${node}. Pass the full id: id_resolve finds it from the end of an id, and tree_topology lists the ids of a conversation.`,
  'node-deleted': ({ node, deleted }) =>
    `${node} is${node === deleted ? '' : ` below ${deleted}, which is`} deleted. Only a person can bring it back; go on from another message.`,
  'ambiguous-id': ({ id, ids }) => `${id} may be any of ${ids.join(', ')}. Call again with one of these.`,
  'block-not-found': ({ block, blocks }) => {
    if (blocks === undefined)
      return `There is no block ${block}. Call block_list to see the blocks below a conversation or a message, with their ids.`;
    return `${block} is a message, not a block. Call again with ${blocks.length === 1 ? 'its block' : 'one of its blocks'}: ${blocks.join(', ')}.`;
  },
  'version-not-found': ({ block, version }) => `${block} has no version ${version}. block_history lists its versions.`,
  'unknown-operation': ({ operation, nearest }) =>
    `There is no tool ${flatName(operation)}.${nearest.length === 0 ? '' : ` Did you mean ${nearest.map(flatName).join(' or ')}?`}`,
  'request-reused': ({ id }) =>
    `The request id ${id} was used before, for something else. Call again with a new one, or without.`,
  'not-permitted': ({ needs, operation, roots = [] }) => notPermitted(needs, operation, roots),
  'not-text': ({ block, kind }) =>
    `${block} is a ${kind} block, which has no text to edit. Add a block with block_create instead.`,
  'version-mismatch': ({ start_line: start, end_line: end }) =>
    `Nothing was changed: another agent has changed lines ${start} to ${end} (exclusive) since base_version. Redo the edit for the newest version.`,
  'text-mismatch': ({ start_line: start, end_line: end, actual }) =>
    `Nothing was changed: lines ${start} to ${end} (exclusive) are not what expected_text says, but ${JSON.stringify(actual)}. Redo the edit for the current text.`,
  'batch-failed': ({ op_index: index, operations, refusal }) =>
    `Operation ${index} of ${operations}, counted from 0, cannot be applied, so none was. ${wordsOf(refusal)}`,
  'patch-failed': ({ errors }) =>
    `Nothing was changed: the patch does not apply: ${errors.join('; ')}. Create it again for the newest version.`,
  'text-replaced': ({ block }) =>
    `The text of ${block} has been replaced since. Read it with block_read and merge your edit into it.`,
  'bad-status': ({ block, status, wanted }) => {
    if (wanted === 'finished')
      return `The block ${block} is still ${status}. Wait, or end it with block_status if you are writing it.`;
    if (wanted === 'unfinished')
      return `The block ${block} is ${status}; text can be appended only while a block is pending or running. Change it with block_edit, or add another block with block_create.`;
    return `The block ${block} is ${status} and cannot become ${wanted}: it goes from pending to running to done or error, which are final.`;
  },
};

function notPermitted(
  needs: RefusalOf<'not-permitted'>['needs'],
  operation: string | undefined,
  roots: readonly string[],
): string {
  const tool = operation === undefined ? 'this tool' : flatName(operation);
  switch (needs) {
    case 'roots':
      return `You were not given access to ${roots.length === 0 ? 'this conversation' : roots.join(', ')}. root_list shows the conversations that you may use.`;
    case 'all-roots':
      return `You were given access to only some conversations, and ${tool} reaches beyond them. Call root_list to see which you may use.`;
    case 'person':
      return 'Only a person may decide that, in Loom itself. Ask the person, and continue with something else.';
    case 'door':
      return `Clients of MCP may not call ${tool}. Ask a person to do it in Loom.`;
    default:
      return `You were not given the right to call ${tool}: it needs a token with the role ${needs}. Ask the person who set up this connection, and continue without it.`;
  }
}
