import { interruptedText, isPlainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import { answerNode, timesAt } from '../foreign/answer.ts';
import type { AnsweredCall } from '../foreign/answer.ts';
import { isList, knownFields, objectAt, textAt, timeOf } from '../foreign/fields.ts';
import type { ForeignBlock, ForeignConversation, ForeignItem, ForeignNode, Tally } from '../foreign/foreign.ts';
import { Outbox } from '../foreign/outbox.ts';
import { answerOf, errorOf, isGiven, readPart, sentOut, sourceOf } from './opencode-parts.ts';

/** A message with its parts, as opencode exports them. */
export interface OpencodeMessage {
  readonly info: PlainObject;
  readonly parts: readonly PlainObject[];
}

/** A session with its messages in their order. */
export interface OpencodeSession {
  readonly info: PlainObject;
  readonly messages: readonly OpencodeMessage[];
}

/** Reads a session. Every message is counted. */
export function readOpencodeSession(session: OpencodeSession, tally: Tally): ForeignItem[] {
  const writer = new SessionWriter(session.info);
  for (const message of session.messages) {
    const unknown = writer.message(message);
    if (unknown === undefined) tally.used();
    else tally.raw(unknown);
  }
  return writer.take();
}

/** Parses the output of `opencode export` as a session; `undefined` if it is something else. */
export function parseOpencodeExport(text: string): OpencodeSession | undefined {
  let value: unknown;
  try {
    // The command may print another line before the document.
    value = JSON.parse(text.slice(Math.max(0, text.indexOf('{'))));
  } catch {
    return undefined;
  }
  const info = objectAt(value, 'info');
  const messages = isPlainObject(value) ? value.messages : undefined;
  if (info === undefined || !isList(messages)) return undefined;
  return {
    info,
    messages: messages.flatMap((message) => {
      const own = objectAt(message, 'info');
      const parts = isPlainObject(message) && isList(message.parts) ? message.parts.filter(isPlainObject) : [];
      return own === undefined ? [] : [{ info: own, parts }];
    }),
  };
}

/** Returns true if a file is the output of `opencode export`. */
export function recognizesOpencodeExport(_name: string, beginning: string): boolean {
  const start = /^[^{}]{0,200}\{\s*"info"\s*:\s*\{/.exec(beginning);
  return start !== null && /"id"\s*:\s*"ses_/.test(beginning) && /"(?:projectID|directory)"\s*:/.test(beginning);
}

class SessionWriter {
  readonly #outbox = new Outbox();
  readonly #conversation: string;
  #tip: string | undefined;

  constructor(info: PlainObject) {
    const conversation = describe(info);
    this.#conversation = conversation.id;
    this.#outbox.conversation(conversation);
  }

  take(): ForeignItem[] {
    return this.#outbox.take();
  }

  message({ info, parts }: OpencodeMessage): string | undefined {
    const id = textAt(info, 'id');
    if (id === undefined) return 'message without an id';
    switch (info.role) {
      case 'user':
        return this.#user(id, info, parts);
      case 'assistant':
        return this.#assistant(id, info, parts);
      default:
        return `message/${textAt(info, 'role') ?? ''}`;
    }
  }

  /** Writes the user's part of a message and opencode's additions as separate nodes. */
  #user(id: string, info: PlainObject, parts: readonly PlainObject[]): string | undefined {
    const time = timeOf(objectAt(info, 'time')?.created);
    const runs: { id: string; isOwn: boolean; blocks: ForeignBlock[] }[] = [];
    let unknown: string | undefined;
    for (const [index, part] of parts.entries()) {
      const read = readPart(part);
      if (read.kind !== 'block' || !isGiven(read.block)) continue;
      unknown ??= read.unknown;
      const key = textAt(part, 'id') ?? `${id}#${index}`;
      const last = runs.at(-1);
      if (last?.isOwn === read.isOwn) last.blocks.push({ key, block: read.block });
      else
        runs.push({
          id: runs.length === 0 ? id : `${id}/${key}`,
          isOwn: read.isOwn,
          blocks: [{ key, block: read.block }],
        });
    }
    for (const run of runs) {
      const details = run.isOwn ? { details: { synthetic: true } } : {};
      this.#node({
        id: run.id,
        role: 'user',
        blocks: run.blocks,
        source: { type: 'user' },
        ...timesAt(time),
        ...details,
      });
    }
    return unknown;
  }

  /** A message may hold several answers, each with its calls: the parts after results and a new step form a node below them. */
  #assistant(id: string, info: PlainObject, parts: readonly PlainObject[]): string | undefined {
    const time = objectAt(info, 'time');
    const isOver = time?.completed !== undefined || info.error !== undefined;
    const said = { role: 'assistant', source: sourceOf(info) } as const;
    const [started, ended] = [timeOf(time?.created), timeOf(time?.completed)];
    const times = {
      ...(started === undefined ? {} : { started_at: started }),
      ...(ended === undefined ? {} : { ended_at: ended }),
    };
    // The summary of a session that grew too long: models are shown nothing above it.
    const start = info.summary === true ? { context_start: true } : {};
    let unknown: string | undefined;
    let blocks: ForeignBlock[] = [];
    let calls: { call: AnsweredCall; part: PlainObject; key: string }[] = [];
    let steps = 0;
    const close = (): void => {
      if (blocks.length > 0) {
        const isFirst = steps === 0;
        const { usage: _usage, ...later } = said.source;
        const source = isFirst ? said.source : later;
        this.#node({
          id: isFirst ? id : `${id}/step-${steps}`,
          ...said,
          source,
          blocks,
          ...times,
          ...(isFirst ? start : {}),
        });
        steps += 1;
      }
      for (const { call, part, key } of calls) this.#answer(call, part, key, isOver);
      blocks = [];
      calls = [];
    };
    for (const [index, part] of parts.entries()) {
      const read = readPart(part);
      const key = textAt(part, 'id') ?? `${id}#${index}`;
      if (read.kind === 'step' && calls.length > 0) close();
      if (read.kind === 'block') {
        unknown ??= read.unknown;
        blocks.push({ key, block: read.block });
      }
      if (read.kind !== 'call') continue;
      blocks.push({ key, block: read.block });
      const { id: callId, name, parameters } = read.block;
      calls.push({ call: { id: callId, name, parameters }, part, key });
    }
    const error = errorOf(info);
    if (error !== undefined) blocks.push({ key: `${id}/error`, block: error });
    close();
    return unknown;
  }

  #answer(call: AnsweredCall, part: PlainObject, key: string, isOver: boolean): void {
    const answer = answerOf(part, isOver);
    if (answer === undefined) return;
    const child = sentOut(part);
    if (child !== undefined) {
      this.#outbox.conversation({ id: child, parent: { conversation: this.#conversation, call: call.id } });
    }
    const time = objectAt(objectAt(part, 'state'), 'time');
    const blocks = answer.state === 'interrupted' && answer.blocks.length === 0 ? [noResult] : answer.blocks;
    const id = `${key}/result`;
    const place = {
      conversation: this.#conversation,
      id,
      ...this.#above(),
      ...timesAt(timeOf(time?.end ?? time?.start)),
    };
    this.#outbox.node(answerNode(place, call, { ...answer, blocks }));
    this.#tip = id;
  }

  #node(node: Omit<ForeignNode, 'conversation' | 'parent'>): void {
    this.#outbox.node({ conversation: this.#conversation, ...this.#above(), ...node });
    this.#tip = node.id;
  }

  #above(): { parent?: string } {
    return this.#tip === undefined ? {} : { parent: this.#tip };
  }
}

const noResult: Extract<MessageBlock, { type: 'text' }> = { type: 'text', text: interruptedText };

function describe(info: PlainObject): ForeignConversation {
  const [title, directory, created] = [
    textAt(info, 'title'),
    textAt(info, 'directory'),
    timeOf(objectAt(info, 'time')?.created),
  ];
  const details = knownFields({
    version: textAt(info, 'version'),
    project: textAt(info, 'projectID'),
    parent_session: textAt(info, 'parentID'),
  });
  return {
    id: textAt(info, 'id') ?? 'unknown',
    ...(title === undefined || title === '' ? {} : { title }),
    ...(directory === undefined ? {} : { directory }),
    ...(created === undefined ? {} : { created_at: created }),
    ...(details === undefined ? {} : { details }),
  };
}
