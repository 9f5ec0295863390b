import { createHash } from 'node:crypto';
import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { isList, listAt, objectAt, textAt, timeOf } from '../foreign/fields.ts';
import type { ForeignItem, Tally } from '../foreign/foreign.ts';
import { Outbox } from '../foreign/outbox.ts';
import { callBlock, textBlocks } from './dialect.ts';
import { PlainThread } from './plain-thread.ts';

/** Conversations that a program keeps as one JSON document, or as a document on each line. */
export interface DocumentDialect {
  readonly source: string;
  readonly name: string;
  /** Returns true if a file has this form, by its first characters. */
  recognizes(beginning: string): boolean;
  /** Reads one document of the file. Every message is counted. */
  read(document: unknown, tally: Tally): ForeignItem[];
}

/** Lists in the ShareGPT form of training data: `conversations` of `from` and `value`. They have no names, so their content names them. */
const shareGpt: DocumentDialect = {
  source: 'sharegpt',
  name: 'ShareGPT',
  recognizes: (beginning) =>
    /^\s*[[{]/u.test(beginning) && /"conversations"\s*:\s*\[\s*\{[^}]{0,200}"(?:from|value)"\s*:/u.test(beginning),
  read(document, tally) {
    const outbox = new Outbox();
    for (const each of isList(document) ? document : [document]) {
      const messages = listAt(each, 'conversations').filter(isPlainObject);
      if (messages.length === 0) continue;
      const id = createHash('sha256').update(JSON.stringify(messages)).digest('hex').slice(0, 32);
      const prompt = messages.find(({ from }) => from === 'system');
      const systemPrompt = textAt(each, 'system') ?? textAt(prompt, 'value');
      const thread = new PlainThread(outbox, shareGpt.source);
      thread.describe({ id, ...(systemPrompt === undefined || systemPrompt === '' ? {} : { systemPrompt }) });
      messages.forEach((message, index) => readTurn(message, `${id}/${index}`, thread, tally));
    }
    return outbox.take();
  },
};

function readTurn(message: PlainObject, key: string, thread: PlainThread, tally: Tally): void {
  const [from, value] = [textAt(message, 'from') ?? '', textAt(message, 'value') ?? ''];
  switch (from) {
    case 'system':
      break;
    case 'human':
    case 'user':
      thread.said({ key }, textBlocks(value));
      break;
    case 'gpt':
    case 'assistant':
    case 'chatgpt':
    case 'bing':
    case 'bard':
      thread.answered({ key }, textBlocks(value));
      break;
    case 'function_call': {
      const call = parsed(value);
      thread.answered({ key }, [
        callBlock(key, textAt(call, 'name'), objectAt(call, 'arguments', 'parameters') ?? value),
      ]);
      break;
    }
    case 'observation':
    case 'tool':
      thread.result({ key }, { call: thread.openCall, blocks: [{ type: 'text', text: value }] });
      break;
    default:
      thread.said({ key }, [{ type: 'raw', source: shareGpt.source, value: message }], { synthetic: true });
      return tally.raw(`from=${from}`);
  }
  tally.used();
}

/** Trajectories of OpenHands: the history of a run, as actions and their observations. */
const openHands: DocumentDialect = {
  source: 'openhands',
  name: 'OpenHands',
  recognizes: (beginning) => /^\s*\{\s*"instance_id"\s*:/u.test(beginning),
  read(document, tally) {
    const events = listAt(document, 'history')
      .flatMap((each) => (isList(each) ? each : [each]))
      .filter(isPlainObject);
    const outbox = new Outbox();
    const id = textAt(document, 'instance_id');
    if (id === undefined || events.length === 0) return [];
    const prompt = textAt(
      objectAt(
        events.find(({ action }) => action === 'system'),
        'args',
      ),
      'content',
    );
    const thread = new PlainThread(outbox, openHands.source);
    const created = timeOf(events[0]?.timestamp);
    thread.describe({
      id: `${id}/${created ?? ''}`,
      title: id,
      ...(created === undefined ? {} : { created_at: created }),
      ...(prompt === undefined ? {} : { systemPrompt: prompt }),
    });
    for (const event of events) {
      const unknown = readEvent(event, `${id}/${String(event.id)}`, thread);
      if (unknown === undefined) tally.used();
      else tally.raw(unknown);
    }
    return outbox.take();
  },
};

function readEvent(event: PlainObject, key: string, thread: PlainThread): string | undefined {
  const spot = { key, time: timeOf(event.timestamp) };
  const [action, observation, args] = [textAt(event, 'action'), textAt(event, 'observation'), objectAt(event, 'args')];
  const metadata = objectAt(event, 'tool_call_metadata');
  const call = textAt(metadata, 'tool_call_id');
  if (observation !== undefined) {
    if (call === undefined) return undefined;
    const text = textAt(event, 'content') ?? '';
    const isError = observation === 'error' || objectAt(event, 'extras')?.success === false;
    thread.result(spot, { call, name: textAt(metadata, 'function_name'), blocks: [{ type: 'text', text }], isError });
    return undefined;
  }
  const words = textAt(args, 'content', 'final_thought') ?? '';
  if (event.source === 'user') {
    if (action === 'message') thread.said(spot, textBlocks(words));
    return undefined;
  }
  if (call === undefined) {
    if (action === 'message' || action === 'finish') thread.answered(spot, textBlocks(words));
    return undefined;
  }
  const response = objectAt(metadata, 'model_response');
  const [choice] = listAt(response, 'choices');
  const asked = listAt(objectAt(choice, 'message'), 'tool_calls').find((each) => textAt(each, 'id') === call);
  const given = objectAt(asked, 'function')?.arguments ?? args;
  thread.answered(
    spot,
    [...textBlocks(textAt(args, 'thought')), callBlock(call, textAt(metadata, 'function_name'), given)],
    { model_name: textAt(response, 'model') ?? '' },
  );
  return undefined;
}

/** Every form of document. */
export const documentDialects: readonly DocumentDialect[] = [shareGpt, openHands];

/** The documents of a text: itself, or one on each line. */
export function* documentsIn(text: string, tally: Tally): Generator {
  const whole = parsed(text);
  if (whole !== undefined) {
    yield whole;
    return;
  }
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const document = parsed(line);
    if (document === undefined) tally.reported('A line is not JSON.');
    else yield document;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
