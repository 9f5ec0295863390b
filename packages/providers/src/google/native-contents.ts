import { blocksShownToModel, isBlank, isPlainObject } from '@loom/blocks';
import type { ImageBlock, Message, ModelBlock, PlainObject, ToolMessage, ToolUseBlock } from '@loom/blocks';
import type { LeftOut } from '../api/api.ts';
import { CallIds } from '../api/request/call-ids.ts';
import { fileContent } from '../api/request/files.ts';
import { argumentsJson, wellFormedJson } from '../api/request/json.ts';
import { placeOf } from '../api/request/picture-limits.ts';
import { resultsBehind } from '../api/request/results.ts';
import type { ToolNames } from '../api/request/tool-names.ts';
import { isGemini3, isReadable, isReadableInResult } from './models.ts';
import { unsigned } from './signatures.ts';

/** A written part of an API content. */
interface NativePart {
  json: string;
  isThought?: boolean;
  isCall?: boolean;
}

/** A message from the user, the model or functions. The API calls the first and the last `user`. */
interface NativeContent {
  from: 'person' | 'model' | 'functions';
  parts: NativePart[];
}

/** The conversation to send. */
interface Scope {
  model: string;
  messages: readonly Message[];
  files: ReadonlyMap<string, Uint8Array>;
  names: ToolNames;
  /** Images that the API would refuse, with the reason. */
  tooLarge: ReadonlyMap<string, string>;
}

interface NativeConversation {
  /** The JSON of `contents`. */
  json: string;
  leftOut: LeftOut[];
}

/**
 * Writes the messages of a request. They are written here and not by the SDK, which spells arguments in its own way, takes signatures off code that
 * was run, and writes several responses to one call if its result has several parts.
 */
export function writeContents(scope: Scope): NativeConversation {
  const writer = new ContentsWriter(scope);
  for (const [index, message] of scope.messages.entries()) writer.add(message, index);
  return writer.finish();
}

/** The text for a model that must continue, and the text before an answer without a prompt. */
const goOn = 'Go on exactly where you stopped.';
const beginning = '(The conversation begins with an answer.)';

/** The stand-in for a missing or invalid signature of a call (https://ai.google.dev/gemini-api/docs/thought-signatures). */
const noSignature = 'skip_thought_signature_validator';

class ContentsWriter {
  readonly #scope: Scope;
  readonly #contents: NativeContent[] = [];
  readonly #ids = new CallIds(64);
  readonly #names = new Map<string, string>();
  readonly #leftOut: LeftOut[] = [];
  /** The results of the calls of the message being written. */
  #results: ReadonlyMap<string, ToolMessage> = new Map();
  /** The parts of results that a function's response cannot hold. */
  #beside: NativePart[] = [];

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  add(message: Message, index: number): void {
    if (message.role !== 'tool') this.#endResults();
    if (message.role === 'assistant') this.#results = resultsBehind(this.#scope.messages, index);
    switch (message.role) {
      case 'user':
        return this.#push(
          'person',
          blocksShownToModel(message).flatMap((block) => this.#writeUserBlock(block)),
        );
      case 'assistant':
        return this.#addAnswer(blocksShownToModel(message));
      case 'tool':
        return this.#addResult(message);
    }
  }

  finish(): NativeConversation {
    this.#endResults();
    const contents = this.#contents.filter(({ parts }) => parts.some(({ isThought }) => isThought !== true));
    if (contents.length === 0) throw new Error('there is nothing to answer');
    if (contents[0]?.from === 'model') contents.unshift({ from: 'person', parts: [textPart(beginning)] });
    if (contents.at(-1)?.from === 'model') contents.push({ from: 'person', parts: [textPart(goOn)] });
    const json = contents.map(({ from, parts }) => {
      return `{"role":"${from === 'model' ? 'model' : 'user'}","parts":[${parts.map((part) => part.json).join(',')}]}`;
    });
    return { json: `[${json.join(',')}]`, leftOut: this.#leftOut };
  }

  #push(from: NativeContent['from'], parts: NativePart[]): void {
    const last = this.#contents.at(-1);
    if (parts.length === 0) return;
    if (last?.from === from) last.parts.push(...parts);
    else this.#contents.push({ from, parts });
  }

  #writeUserBlock(block: ModelBlock): NativePart[] {
    if (block.type === 'image') return [this.#writeFile(block)];
    return block.type === 'text' && !isBlank(block.text) ? [textPart(block.text)] : [];
  }

  #addAnswer(blocks: readonly ModelBlock[]): void {
    for (const block of blocks) {
      this.#push('model', block.type === 'tool-use' ? [this.#writeCall(block)] : this.#writeAnswerBlock(block));
    }
  }

  #writeAnswerBlock(block: Exclude<ModelBlock, { type: 'tool-use' }>): NativePart[] {
    const own = ownData(block);
    switch (block.type) {
      case 'text': {
        const signature = this.#signatureOf(own);
        return isBlank(block.text) && signature === undefined
          ? []
          : [textPart(block.text, { thoughtSignature: signature })];
      }
      case 'thinking':
        return this.#writeThought(block.text, own);
      case 'image':
        return [this.#writeFile(block, this.#signatureOf(own))];
    }
  }

  #writeThought(text: string, own: PlainObject): NativePart[] {
    if (own.model !== this.#scope.model) {
      const why = own.model === undefined ? 'Gemini has not signed it.' : 'It was written by another model.';
      this.#leftOut.push({ what: 'thinking', why });
      return [];
    }
    // A signature that came alone goes back alone.
    if (isPlainObject(own.part)) return [{ json: write(own.part) }];
    return [{ ...textPart(text, { thought: true, thoughtSignature: this.#signatureOf(own) }), isThought: true }];
  }

  #writeCall(block: ToolUseBlock): NativePart {
    const own = ownData(block);
    const id = this.#ids.call(block.id);
    this.#names.delete(block.id);
    if (isPlainObject(own.part) && this.#nativeResult(this.#results.get(block.id)) !== undefined) {
      return { json: write({ ...unsigned(own.part), thoughtSignature: this.#signatureOf(own) }) };
    }
    const name = this.#scope.names.toWire(block.name);
    this.#names.set(block.id, name);
    const call = `{"id":${write(id)},"name":${write(name)},"args":${argumentsJson(block)}}`;
    const last = this.#contents.at(-1);
    const isFirst = last?.from !== 'model' || last.parts.every(({ isCall }) => isCall !== true);
    const missing = isFirst && isGemini3(this.#scope.model) ? noSignature : undefined;
    const signature = this.#signatureOf(own) ?? missing;
    const tail = signature === undefined ? '' : `,"thoughtSignature":${write(signature)}`;
    return { json: `{"functionCall":${call}${tail}}`, isCall: true };
  }

  #addResult(message: ToolMessage): void {
    const id = this.#ids.answer(message.tool_call_id);
    const native = this.#nativeResult(message);
    const name = this.#names.get(message.tool_call_id);
    if (id === undefined) return;
    if (name !== undefined) this.#push('functions', [this.#writeResult(message, id, name)]);
    else if (native !== undefined) this.#push('model', [{ json: write(native) }]);
  }

  #writeResult(message: ToolMessage, id: string, name: string): NativePart {
    const blocks = blocksShownToModel(message);
    const files = blocks.filter((block) => block.type === 'image');
    const inside = files.filter((file) => isGemini3(this.#scope.model) && this.#fitsInside(file));
    const beside = files.filter((file) => !inside.includes(file));
    if (beside.length > 0) {
      this.#beside.push(textPart(`(Files from ${name}:)`), ...beside.map((file) => this.#writeFile(file)));
    }
    const said = blocks.flatMap((block) => (block.type === 'text' ? [block.text.toWellFormed()] : [])).join('\n');
    const response = message.is_error === true ? { error: said } : { output: said };
    const parts = inside.map((file) => this.#writeFile(file).json);
    const more = parts.length === 0 ? '' : `,"parts":[${parts.join(',')}]`;
    const written = `{"id":${write(id)},"name":${write(name)},"response":${write(response)}${more}}`;
    return { json: `{"functionResponse":${written}}` };
  }

  #endResults(): void {
    this.#push('person', this.#beside);
    this.#beside = [];
  }

  #fitsInside(block: ImageBlock): boolean {
    if (!isReadableInResult(block.media_type) || this.#scope.tooLarge.has(placeOf(block))) return false;
    return fileContent(block, this.#scope.files)?.type === 'data';
  }

  #writeFile(block: ImageBlock, signature?: string): NativePart {
    const { media_type: mimeType, filename = '' } = block;
    const tooLarge = this.#scope.tooLarge.get(placeOf(block));
    const isTaken = isReadable(mimeType) && tooLarge === undefined;
    const content = isTaken ? fileContent(block, this.#scope.files) : undefined;
    const signed = signature === undefined ? {} : { thoughtSignature: signature };
    if (content?.type === 'url')
      return { json: write({ fileData: { mimeType, fileUri: content.url.href }, ...signed }) };
    if (content?.type === 'data') {
      const data = Buffer.from(content.data).toString('base64');
      return { json: write({ inlineData: { mimeType, data }, ...signed }) };
    }
    const name = filename === '' ? `A file of type ${mimeType}` : `${filename} (${mimeType})`;
    const why =
      tooLarge === undefined
        ? `${name} is not a file that this model can take.`
        : `${name} ${tooLarge}. It was left out.`;
    this.#leftOut.push({ what: 'file', why });
    return textPart(`(${why})`);
  }

  /** Returns the original part of a result of Google's own tools, if it is one. */
  #nativeResult(message: ToolMessage | undefined): PlainObject | undefined {
    const own = message?.content.map(ownData).find(({ kind }) => typeof kind === 'string');
    if (own === undefined || !isPlainObject(own.result)) return undefined;
    const signature = this.#signatureOf(own);
    return { [String(own.kind)]: own.result, ...(signature === undefined ? {} : { thoughtSignature: signature }) };
  }

  /** A signature is valid only for the model that wrote it. */
  #signatureOf({ model, thoughtSignature }: PlainObject): string | undefined {
    return model === this.#scope.model && typeof thoughtSignature === 'string' ? thoughtSignature : undefined;
  }
}

function ownData({ provider }: { provider?: PlainObject }): PlainObject {
  const own = provider?.google;
  return isPlainObject(own) ? own : {};
}

function textPart(text: string, more: { thought?: true; thoughtSignature?: string | undefined } = {}): NativePart {
  return { json: write({ text: text.toWellFormed(), ...more }) };
}

function write(value: unknown): string {
  return wellFormedJson(JSON.stringify(value));
}
