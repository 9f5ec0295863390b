import { formatProblems } from '@loom/blocks';
import type { RefusalOf, RefusalReason } from '../refusal.ts';

/** Words a refusal for models and MCP: what happened, and what to call next. Names tools, never a command. */
export function modelWords<Reason extends RefusalReason>(refusal: RefusalOf<Reason>): string {
  return words[refusal.reason](refusal);
}

const words: { readonly [Reason in RefusalReason]: (refusal: RefusalOf<Reason>) => string } = {
  'root-not-found': ({ root }) =>
    `There is no conversation ${root}. Call block.list without parent_id to see all of them.`,
  'root-deleted': ({ root }) => `The conversation ${root} is deleted. Only a person can bring it back.`,
  'node-not-found': ({ node }) => `There is no message ${node}. Call block.list to see which exist.`,
  'node-deleted': ({ node, deleted }) =>
    node === deleted
      ? `${node} is deleted. It has to be restored first.`
      : `${node} is below ${deleted}, which is deleted. Restore that first.`,
  'ambiguous-id': ({ id, ids }) => `${id} may be ${list(ids)}. Give the whole id.`,
  'block-not-found': ({ block, blocks }) =>
    blocks === undefined
      ? `There is no block ${block}. Call block.list to see which exist.`
      : `${block} is a message, not a block. ${blocks.length === 1 ? 'Its block is' : 'Its blocks are'} ${list(blocks)}.`,
  'version-not-found': ({ block, version }) =>
    `${block} has no version ${version}. block.history lists those that there are.`,
  'turn-not-found': ({ turn }) => `There is no turn ${turn}.`,
  'call-not-found': ({ node }) => `There is no tool call at ${node}.`,
  'process-not-found': ({ process }) =>
    `There is no command ${process} in the background. It may have ended with Loom.`,
  'job-not-found': ({ job }) => `There is no job ${job}, or it ended long ago. Call job.list to see the known jobs.`,
  'prompt-not-found': ({ prompt, nearest }) =>
    `There is no prompt ${prompt}.${nearest.length === 0 ? ' Call prompt.list to see which exist.' : ` Did you mean ${nearest.join(' or ')}?`}`,
  'not-by-model': ({ node, answers }) =>
    `${node} was not written by a model.${answers.length === 0 ? '' : ` Name one of ${list(answers)}.`}`,
  'unknown-provider': ({ provider, providers }) => `There is no provider ${provider}. ${known(providers)}`,
  'settings-failed': ({ problem }) =>
    `The settings cannot be used: ${problem}. The owner of the data folder has to correct them.`,
  'login-failed': ({ problem }) => `The login failed: ${problem} Only a person can log in.`,
  'unknown-operation': ({ operation, nearest }) =>
    `There is no tool ${operation}.${nearest.length === 0 ? '' : ` Did you mean ${nearest.join(' or ')}?`}`,
  'unknown-config-key': ({ key, nearest, known: keys }) =>
    `A config has no key ${key}. ${nearest.length === 0 ? `It has ${list(keys)}; your own keys go under custom.` : `Did you mean ${nearest.join(' or ')}? Your own keys go under custom.`}`,
  'invalid-params': ({ problems }) => `${formatProblems(problems)}. Correct that and call again.`,
  'request-reused': ({ id }) => `The request id ${id} was used before, for something else. Use a new one.`,
  'unknown-client': ({ client, agent }) => `The client id ${client} was not given to ${agent}. Join again to get one.`,
  'not-permitted': ({ needs, operation = 'this', roots = [] }) => {
    if (needs === 'person' && operation === 'this') return 'Only a person may decide about a call.';
    if (needs === 'roots') return `You may not use ${list(roots) || 'this conversation'}.`;
    if (needs === 'all-roots') return `You may only use some conversations, and ${operation} reaches beyond them.`;
    if (needs === 'door') return `You may not call ${operation} here.`;
    return `Only ${/^[aeiou]/u.test(needs) ? 'an' : 'a'} ${needs} may call ${operation}.`;
  },
  'empty-message': ({ node, message }) => {
    if (node !== undefined) return `${node} would be empty. Say something in it, or remove it.`;
    return `${message === undefined ? 'The message' : `Message ${message}`} says nothing. Leave it out.`;
  },
  'orphan-result': ({ call, message }) =>
    `${message === undefined ? 'The result' : `Message ${message}`} answers the call ${call}, which is not above it. Put it below its call.`,
  'results-need-calls': ({ results, by, node }) =>
    `${by === 'replacing' ? 'Replacing the call' : `${capital(by)} ${node}`} would leave results without their calls: ${list(results)}. Take the results along, or keep the call.`,
  'cannot-merge': ({ node, because }) =>
    `${node} cannot be merged with the message above it: ${mergeObstacles[because]}.`,
  'not-text': ({ block, kind }) =>
    `${block} is a ${kind} block, which has no text to edit. Create another block instead.`,
  'line-out-of-range': ({ line, line_count: count }) =>
    `There is no line ${line}: the text has ${count === 1 ? '1 line' : `${count} lines`}, counted from 0. To add to the end, insert at line ${count}.`,
  'text-mismatch': ({ start_line, end_line, actual }) =>
    `Lines ${start_line} to ${end_line} (exclusive) are not what expected_text says; they are ${JSON.stringify(actual)}. Send the edit for what is there.`,
  'version-mismatch': ({ start_line, end_line }) =>
    `Lines ${start_line} to ${end_line} (exclusive) of base_version were changed since. Call block.read and send the edit for the newest version.`,
  'batch-failed': ({ op_index, operations, refusal }) =>
    `Operation ${op_index} of ${operations}, counted from 0, cannot be applied, so none was. ${modelWords(refusal)}`,
  'patch-failed': ({ errors }) =>
    `The patch does not apply: ${errors.join('; ')}. Call block.read and create the patch again.`,
  'text-replaced': ({ block }) =>
    `The text of ${block} has been replaced since. Call block.read and merge into the new text.`,
  'invalid-regex': ({ problem }) =>
    `The regular expression cannot be used: ${problem}. The syntax is RE2, without lookaround and backreferences; set literal to search for the query as plain text.`,
  'regex-too-large': () =>
    'The regular expression is too large. Use smaller counts in {n,m}, or * or + instead, or set literal to search for plain text.',
  'bad-status': ({ block, status, wanted }) => {
    if (wanted === 'finished') return `The block ${block} is ${status}. End it with block.status first.`;
    if (wanted === 'unfinished')
      return `The block ${block} is ${status}; text can be appended only while it is pending or running. Use block.edit.`;
    return `The block ${block} is ${status} and cannot become ${wanted}.`;
  },
  bookmarked: ({ nodes }) =>
    `${nodes.length === 1 ? 'A bookmark protects' : 'Bookmarks protect'} ${list(nodes)}. Only a person removes bookmarks.`,
  'changed-since': ({ ids, what }) => {
    if (what === 'gone') return `${list(ids)} no longer exists. Restore it first.`;
    if (what === 'no-place') return `There is no longer a place below ${list(ids)} to go back to.`;
    return `${list(ids)} changed since. Undo that change first.`;
  },
  'nothing-to-undo': ({ which, change, block, version }) => {
    if (version !== undefined)
      return `Version ${version} of ${block ?? 'the block'} is not an edit that can be ${which === 'undo' ? 'undone' : 'redone'} now. The history of the block, with edits, says which can.`;
    if (change !== undefined)
      return `Change ${change} cannot be undone: it does not change the tree, or has already been undone.`;
    return `There is nothing of yours left to ${which}${block === undefined ? '' : ` in ${block}`}.`;
  },
  'nothing-to-answer': ({ node }) => `There is no user message at or above ${node}. Append one first.`,
  'takes-no-prefix': ({ node, provider, model }) =>
    `${provider}:${model} cannot go on with the answer ${node}. Have the message above it answered again, or say something below it.`,
  'turn-live': ({ turns, node, where }) => {
    const are = turns.length === 1 ? `The turn ${list(turns)} is` : `The turns ${list(turns)} are`;
    if (where === 'above') return `${are} still writing ${node}. Wait until that is over.`;
    if (where === 'inside') return `${are} still running at or below ${node}. Wait until that is over.`;
    return `${are} ${where === 'answering' ? 'answering' : 'writing'} ${node}. Wait until that is over.`;
  },
  'turn-ended': ({ turn, end }) => `The turn ${turn} has ended (${end}). Send a new message instead.`,
  'not-waiting': ({ node, state = 'no call' }) => `The call at ${node} is not waiting for a decision (${state}).`,
  'message-taken': () => 'This message is no longer waiting: it has been sent or withdrawn.',
  'already-decided': ({ node }) => `The call at ${node} has already been decided. The first decision counts.`,
  'call-changed': ({ node }) => `The call at ${node} no longer has these arguments. Read it again.`,
  'lease-lost': ({ turn }) => `The turn ${turn} continues in another process. Try again.`,
};

const mergeObstacles: Readonly<Record<RefusalOf<'cannot-merge'>['because'], string>> = {
  'first-message': 'it is a first message, and there is none above it',
  'not-only-text': 'only two messages of one role that hold nothing but text can be merged',
  'context-start': 'models are not shown what is above it; remove its context start first',
  'half-hidden': 'only half of the text is hidden from models; show or hide both first',
};

function list(ids: readonly string[]): string {
  return ids.join(', ');
}

function known(names: readonly string[]): string {
  return names.length === 0 ? 'There are none.' : `There are ${names.join(', ')}.`;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
