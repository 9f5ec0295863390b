import { formatProblems } from '@loom/blocks';
import { diffTexts } from '@loom/blocks/patch';
import type { RefusalOf, RefusalReason } from '@loom/kernel';
import { showControls } from '../chat/drawing/column.ts';
import { suggest } from '../command-line/suggested-command.ts';

/** The description of an event, and advice. */
export interface Words {
  what: string;
  advice?: string;
}

/** The context that a command adds to the refusal. */
export interface Surroundings {
  /** The text that it is about: its name in a sentence, and the name used in the command. */
  text?: { readonly name: string; readonly word: string };
  /** The conversation that it is about. */
  conversation?: { readonly root: string; readonly title: string };
  /** The candidates of an ambiguous id: the name of each, and its title. */
  candidates?: readonly (readonly [name: string, title: string])[];
  /** The operation that loom call was given. */
  operation?: string;
  /** True inside of loom chat, where slash commands are at hand. */
  isChat?: boolean;
}

/** A refusal in the words of the command line. */
export function wordRefusal<Reason extends RefusalReason>(
  refusal: RefusalOf<Reason>,
  surroundings: Surroundings = {},
): Words {
  return words[refusal.reason](refusal, surroundings);
}

/** Asks for full ids: commands find the ending of an id; operations do not. */
function fullIds(operation: string | undefined, sample: string): string {
  return operation === undefined ? '' : ` Operations take ids in full: ${sample}.`;
}

type Wording<Reason extends RefusalReason> = (refusal: RefusalOf<Reason>, surroundings: Surroundings) => Words;

const words: { readonly [Reason in RefusalReason]: Wording<Reason> } = {
  'root-not-found': ({ root }, { operation }) => ({
    what: `there is no conversation ${root}`,
    advice: `${suggest('ls')} lists them.${fullIds(operation, 'root-…')}`,
  }),
  'root-deleted': ({ root }) => ({
    what: `the conversation ${root} is deleted`,
    advice: `Restore it first: ${suggest(`restore ${root}`)}`,
  }),
  'node-not-found': ({ node }, { operation }) => ({
    // A word that looks like neither may have been meant as either.
    what: `there is no ${/\/|^(?:node-)?\d+$/u.test(node) ? 'node' : 'conversation or node'} ${node}`,
    advice: `${suggest('tree')} lists them.${fullIds(operation, 'root-…/node-3')}`,
  }),
  'node-deleted': ({ node, deleted }) => ({
    what: node === deleted ? `${node} is deleted` : `${node} is below ${deleted}, which is deleted`,
    advice: `Restore ${node === deleted ? 'it' : 'that'} first: ${suggest(`restore ${deleted}`)}`,
  }),
  'ambiguous-id': ({ id, ids }, { candidates = ids.map((candidate) => [candidate, '']) }) => {
    const width = Math.max(...candidates.map(([name]) => name.length));
    const lines = candidates.map(([name, title]) => `  ${name.padEnd(width)}  ${title}`.trimEnd());
    const isRoots = ids.every((candidate) => !candidate.includes('/'));
    return {
      what: isRoots
        ? `${id} is ambiguous: ${ids.length} conversations end with it`
        : `${id} is ambiguous: it exists in ${ids.length} conversations`,
      advice: ['Name one of them:', ...lines].join('\n'),
    };
  },
  'block-not-found': ({ block, blocks }) =>
    blocks === undefined
      ? { what: `there is no block ${block}`, advice: `${suggest('show')} lists the blocks of a node.` }
      : {
          what: `${block} is a message, not a block`,
          advice: `${blocks.length === 1 ? 'Its block is' : 'Its blocks are'} ${list(blocks)}.`,
        },
  'version-not-found': ({ block, version }, { text }) => ({
    what: `${text?.name ?? block} has no version ${version}`,
    advice: `${suggest(`history ${text?.word ?? block}`)} lists them.`,
  }),
  'turn-not-found': ({ turn }) => ({ what: `there is no turn ${turn}` }),
  'call-not-found': ({ node }) => ({
    what: `there is no call at ${node}`,
    advice: `See ${suggest(`show ${node}`)}`,
  }),
  'process-not-found': ({ process }) => ({
    what: `no command ${process} runs in the background`,
    advice: `${suggest('call process.list')} lists those that do; they end with Loom.`,
  }),
  'job-not-found': ({ job }) => ({
    what: `there is no job ${job}, or it was over long ago`,
    advice: `${suggest('call job.list')} lists them.`,
  }),
  'prompt-not-found': ({ prompt, nearest }) => ({
    what: `there is no prompt ${prompt}`,
    advice: nearest.length === 0 ? `${suggest('prompt')} lists them.` : `Did you mean ${nearest.join(' or ')}?`,
  }),
  'not-by-model': ({ node, answers }) => ({
    what: `${node} was not written by a model, so nothing was sent for it`,
    advice: answers.length === 0 ? `${suggest('tree')} shows who wrote what.` : `Its answers: ${list(answers)}`,
  }),
  'unknown-provider': ({ provider, providers }) => ({
    what: `there is no provider ${provider}`,
    advice:
      providers.length === 0 ? 'There are none.' : `There ${providers.length === 1 ? 'is' : 'are'} ${list(providers)}.`,
  }),
  'settings-failed': ({ problem }) => ({
    what: `the settings cannot be used: ${problem}`,
    advice: `${suggest('config edit')} opens them in an editor.`,
  }),
  'login-failed': ({ problem }) => ({
    what: `the login failed: ${problem.replace(/\.$/u, '')}`,
    advice: `${suggest('login')} tries again.`,
  }),
  'unknown-operation': ({ operation, nearest }) => ({
    what: `there is no operation ${operation}`,
    advice: `${nearest.length === 0 ? '' : `Did you mean ${nearest.join(' or ')}? `}${suggest('call')} lists them.`,
  }),
  'unknown-config-key': ({ key, nearest, known }) => ({
    what: `the config of a conversation has no key ${key}`,
    advice: `${nearest.length === 0 ? `It has ${list(known)}.` : `Did you mean ${nearest.join(' or ')}?`} Your own keys go under custom.`,
  }),
  'invalid-params': ({ problems }, { operation }) => ({
    what: formatProblems(problems),
    ...(operation === undefined
      ? {}
      : { advice: `What it takes: ${suggest(`call operation.get '{"name": "${operation}"}'`)}` }),
  }),
  'request-reused': ({ id }) => ({
    what: `the request id ${id} was used before, for something else`,
    advice: 'Use a new one.',
  }),
  'unknown-client': ({ client, agent }) => ({
    what: `the client id ${client} was not given to ${agent}`,
    advice: 'Join again to get one.',
  }),
  'not-permitted': ({ needs, operation = 'this', roots = [] }) => {
    if (needs === 'person' && operation === 'this') return { what: 'only a person may approve or deny a call' };
    if (needs === 'roots') return { what: `you may not use ${list(roots) || 'this conversation'}` };
    if (needs === 'all-roots') return { what: `${operation} reaches beyond the conversations you may use` };
    if (needs === 'door')
      return { what: `${operation} cannot be called from the command line`, advice: 'Use the library for it.' };
    return { what: `only ${/^[aeiou]/u.test(needs) ? 'an' : 'a'} ${needs} may do ${operation}` };
  },
  'empty-message': ({ node, message }) => {
    if (node !== undefined)
      return {
        what: `${node} would be empty`,
        advice: `Delete the node instead: ${suggest(`rm ${node}`)}`,
      };
    if (message !== undefined) return { what: `message ${message} says nothing`, advice: 'Leave it out.' };
    return { what: 'the message is empty', advice: 'There is nothing to keep for the turn.' };
  },
  'orphan-result': ({ call, message }) => ({
    what: `${message === undefined ? 'the result' : `message ${message}`} answers the call ${call}, which is not above it`,
    advice: 'A result must be below its call.',
  }),
  'results-need-calls': ({ results, by, node }) => {
    if (by === 'replacing')
      return { what: `results answer this call: ${list(results)}`, advice: 'Keep its id, or delete them first.' };
    if (by === 'removing') {
      return {
        what: `results below answer calls of ${node}`,
        advice: `Delete it with everything below it, without --keep-children: ${suggest(`rm ${node}`)}`,
      };
    }
    return {
      what: `results would lose their calls: ${list(results)}`,
      advice: `${by === 'moving' ? 'Move' : 'Copy'} the calls with them.`,
    };
  },
  'cannot-merge': ({ node, because }) => {
    switch (because) {
      case 'first-message':
        return { what: `${node} is a first message`, advice: 'There is no message above it to merge it with.' };
      case 'not-only-text':
        return { what: 'only two messages of one role that hold nothing but text can be merged' };
      case 'context-start':
        return { what: `models are not shown what is above ${node}`, advice: 'Remove its context start first.' };
      case 'half-hidden':
        return { what: 'only half of the text is hidden from models', advice: 'Show or hide both before merging.' };
    }
  },
  'not-text': ({ block, kind }, { text }) => ({
    what: `a ${kind} block has no text to edit`,
    advice: `${text?.name ?? block} can only be replaced whole: ${suggest('edit')} does that.`,
  }),
  'line-out-of-range': ({ line, line_count: count }, { text }) => {
    const { name = 'the text', word } = text ?? {};
    const lines = count === 1 ? 'one line, which is line 0' : `${count} lines, counted from 0`;
    return {
      what: `${name} has no line ${line}`,
      advice:
        count === 0
          ? 'It is empty: insert at line 0.'
          : `It has ${lines}.${word === undefined ? '' : ` See ${suggest(`read ${word}`)}`}`,
    };
  },
  'text-mismatch': ({ start_line: start, end_line: end, expected, actual }, { text }) => {
    const are = end - start === 1 ? 'is' : 'are';
    return {
      what: `${spellLines(start, end)} of ${text?.name ?? 'the text'} ${are} not what was expected:\n${compare(expected, actual)}`,
      advice: `Read it again: ${suggest(`read ${text?.word ?? '<block>'} --lines ${start}:${end}`)}`,
    };
  },
  'version-mismatch': ({ start_line: start, end_line: end }, { text }) => ({
    what: `${spellLines(start, end)} of ${text?.name ?? 'the text'} changed since that version`,
    advice: `Read it again: ${suggest(`read ${text?.word ?? '<block>'}`)}`,
  }),
  'batch-failed': ({ op_index: index, refusal }, surroundings) => {
    const inner = wordRefusal(refusal, surroundings);
    return { ...inner, what: `operation ${index + 1} failed, so none was applied: ${inner.what}` };
  },
  'patch-failed': ({ errors }, { text }) => ({
    what: `the patch does not apply: ${errors.join('; ')}`,
    advice: `Read it again and update the patch: ${suggest(`read ${text?.word ?? '<block>'}`)}`,
  }),
  'text-replaced': ({ block }, { text }) => ({
    what: `the text of ${text?.name ?? block} was replaced since`,
    advice: `Read it again: ${suggest(`read ${text?.word ?? block}`)}`,
  }),
  'invalid-regex': ({ problem }) => ({ what: problem, advice: patternAdvice }),
  'regex-too-large': () => ({
    what: 'the regular expression is too large: use smaller counts in {n,m}, or * or + instead',
    advice: patternAdvice,
  }),
  'bad-status': ({ block, status, wanted }) => {
    if (wanted === 'finished') return { what: `the block ${block} is ${status}`, advice: 'Set it to done first.' };
    if (wanted !== 'unfinished') return { what: `a block that is ${status} does not become ${wanted}` };
    return {
      what: `the block is ${status}, and only pending or running blocks can grow`,
      advice: `Edit it: ${suggest(`edit-lines ${block}`)}`,
    };
  },
  bookmarked: ({ nodes }) => ({
    what: `${nodes.length === 1 ? 'a bookmark protects' : 'bookmarks protect'} ${list(nodes)}`,
    advice: `Remove ${nodes.length === 1 ? 'it' : 'them'} first: ${suggest(`bookmark remove ${nodes[0] ?? ''}`)}`,
  }),
  'changed-since': ({ ids, what }, { isChat = false }) => ({
    what:
      what === 'changed'
        ? `${list(ids)} changed since`
        : what === 'gone'
          ? `${list(ids)} is not there any more`
          : `there is no place below ${list(ids)} any more to go back to`,
    advice: isChat
      ? `A message that was answered cannot be undone: /fork branches before it, and ${suggest('rm')} deletes it.`
      : what === 'gone'
        ? `Restore it first: ${suggest(`restore ${list(ids)}`)}`
        : `A message that was answered cannot be undone: ${suggest('rm')} deletes it. To undo an edit of a text: ${suggest('undo')} with its name.`,
  }),
  'nothing-to-undo': ({ which, change, block, version }, { text, conversation }) => {
    if (version !== undefined)
      return {
        what: `version ${version} of ${text?.name ?? block ?? 'the text'} is not an edit that can be ${which === 'undo' ? 'undone' : 'redone'} now`,
        advice: `The versions: ${suggest(`history ${text?.word ?? block ?? ''}`)}`,
      };
    if (change !== undefined)
      return { what: `change ${change} cannot be undone: it does not change the tree, or was undone already` };
    if (block !== undefined) return { what: `you have nothing to ${which} in ${text?.name ?? block}` };
    if (conversation === undefined) return { what: `you have nothing left to ${which}` };
    return {
      what: `you have nothing to ${which} in ${conversation.root} (${conversation.title})`,
      advice: `This is the most recent conversation. For a text in another one, name it: loom ${which} <block>`,
    };
  },
  'nothing-to-answer': ({ node }) => ({
    what: `there is no user message at or above ${node}`,
    advice: 'Say something first.',
  }),
  'takes-no-prefix': ({ node, provider, model }, { isChat = false }) => ({
    what: `${provider}:${model} cannot continue an answer where it ended`,
    advice: isChat
      ? 'Say "go on", or retry your message with /retry.'
      : `Say something instead: ${suggest(`chat --node ${node} -p "go on"`)}`,
  }),
  'turn-live': ({ turns, node, where }) => {
    const [turn = ''] = turns;
    if (where === 'above')
      return { what: `the turn ${turn} is still writing there`, advice: 'Steer it, queue behind it or stop it.' };
    if (where === 'inside') {
      return { what: `a turn is still running at or below ${node}`, advice: `Stop it first: ${list(turns)}.` };
    }
    return {
      what: `the turn ${turn} is ${where === 'node' ? 'writing' : 'answering'} ${node}`,
      advice: 'Stop it first.',
    };
  },
  'turn-ended': ({ turn, end, next }) => ({
    what: `the turn ${turn} has ended (${end})`,
    advice: next?.type === 'append' ? 'Send it as a new message.' : 'It has nothing left to do.',
  }),
  'not-waiting': ({ state = 'no call' }) => ({ what: `the call is not waiting for a decision (${state})` }),
  'message-taken': () => ({
    what: 'this message is no longer waiting',
    advice: 'It was sent or withdrawn in the meantime.',
  }),
  'already-decided': () => ({ what: 'this call was already decided', advice: 'The first decision stands.' }),
  'call-changed': () => ({ what: 'the arguments of the call have changed', advice: 'Look at it again.' }),
  'lease-lost': ({ turn }) => ({ what: `the turn ${turn} continues in another process`, advice: 'Try again.' }),
};

const patternAdvice =
  'To search for the text as it is: -F. Patterns are those of RE2, without lookaround and backreferences.';

function list(ids: readonly string[]): string {
  return ids.join(', ');
}

function spellLines(start: number, end: number): string {
  return end - start <= 1 ? `line ${start}` : `lines ${start} to ${end - 1}`;
}

/** Shows the expected and the actual text, as a small diff. */
function compare(expected: string, actual: string): string {
  const [there = '', wanted = ''] = [actual, expected].map(
    (text) => `${text.replaceAll('\r\n', '\n').replace(/\n$/, '')}\n`,
  );
  const lines = diffTexts(wanted, there).flatMap((hunk) => hunk.lines);
  return ['--- expected', '+++ there', ...lines].map(showControls).join('\n');
}
