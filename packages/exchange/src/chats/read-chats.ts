import type { ForeignItem, Tally } from '../foreign/foreign.ts';
import { ChatExportError } from './chat-export-error.ts';
import { readChatGPT, recognizesChatGPT } from './chatgpt.ts';
import type { FindFile } from './chatgpt-content.ts';
import { readClaudeAI, recognizesClaudeAI } from './claude-ai.ts';
import { JsonSplitter } from './json-splitter.ts';
import { readLibreChat, recognizesLibreChat } from './librechat.ts';
import { readLobe, recognizesLobe } from './lobe/lobe.ts';
import { readAiSdkMessages, recognizesAiSdkMessages } from './ai-sdk-messages.ts';
import { readOpenAIMessages, recognizesOpenAIMessages } from './openai-messages.ts';
import { readOpenWebUI, recognizesOpenWebUI } from './open-webui.ts';
import { inPieces } from './random-access.ts';
import type { RandomAccess } from './random-access.ts';
import { ZipArchive } from './zip-archive.ts';
import type { ZipEntry } from './zip-directory.ts';

/** The products whose exports are documents, by their names in origins. */
export type ChatProduct = 'chatgpt' | 'claude-ai' | 'open-webui' | 'librechat' | 'lobe' | 'ai-sdk' | 'openai-messages';

/** Returns the product that a record of an export comes from. */
function productOf(record: unknown): ChatProduct | undefined {
  if (recognizesChatGPT(record)) return 'chatgpt';
  if (recognizesClaudeAI(record)) return 'claude-ai';
  if (recognizesOpenWebUI(record)) return 'open-webui';
  if (recognizesLibreChat(record)) return 'librechat';
  if (recognizesLobe(record)) return 'lobe';
  if (recognizesAiSdkMessages(record)) return 'ai-sdk';
  return recognizesOpenAIMessages(record) ? 'openai-messages' : undefined;
}

/** Returns true if a record can be read as one of a product. AI SDK conversations that hold nothing but text look like any others. */
function isOf(record: unknown, product: ChatProduct): boolean {
  const own = productOf(record);
  return own === product || (product === 'ai-sdk' && own === 'openai-messages');
}

/** Returns true if a record is a message of a list, not a conversation. */
function isMessage(record: unknown): boolean {
  return recognizesOpenAIMessages([record]) || recognizesAiSdkMessages([record]);
}

/**
 * Reads an export of a chat product: a JSON document, or an archive of some with the files that belong to it. Yields one whole conversation at a
 * time. Everything is checked before the first one is yielded, so that a damaged or malicious export ends in a `ChatExportError` with nothing
 * imported.
 */
export async function* readChats(
  file: RandomAccess,
  product: ChatProduct,
  tally: Tally,
): AsyncGenerator<ForeignItem[]> {
  if (!(await isZip(file))) {
    for await (const record of checkedRecords(() => inPieces(file))) yield* readRecord(record, product, tally, noFile);
    return;
  }
  const archive = await ZipArchive.open(file);
  const documents = documentsOf(archive, tally);
  const files = new ArchiveFiles(archive, tally);
  // The first pass checks all of them, the second yields them.
  for (const entry of documents) for await (const _record of recordsOf(archive.read(entry)));
  archive.rewind();
  for (const entry of documents) {
    for await (const record of recordsOf(archive.read(entry))) {
      if (isOf(record, product)) yield* readRecord(record, product, tally, (id) => files.find(id));
      else tally.remark(`${nameOf(entry)} holds something else than conversations: it is left alone.`);
    }
  }
}

/** Returns the product that an export comes from, by its first record; `undefined` if the product is unknown. */
export async function recognizeChats(file: RandomAccess): Promise<ChatProduct | undefined> {
  if (!(await isZip(file))) return productOfFirst(inPieces(file));
  const archive = await ZipArchive.open(file);
  for (const entry of archive.entries) {
    if (!isDocument(entry)) continue;
    const product = await productOfFirst(archive.read(entry));
    if (product !== undefined) return product;
  }
  return undefined;
}

async function productOfFirst(bytes: AsyncIterable<Uint8Array>): Promise<ChatProduct | undefined> {
  let seen: unknown[] = [];
  let found: ChatProduct | undefined;
  let hasRecord = false;
  const splitter = new JsonSplitter((text, depth) => void seen.push(parse(text, depth)));
  for await (const piece of bytes) {
    splitter.push(piece);
    for (const record of seen) {
      hasRecord = true;
      // A list of messages is one conversation: its first element tells that much. A later element may tell the product.
      const product = productOf(record) ?? productOf([record]);
      if (product !== 'openai-messages') return found === undefined || product === 'ai-sdk' ? product : found;
      found = product;
    }
    seen = [];
  }
  // A document that ends within its first record is cut off: its beginning may reveal the product.
  if (!hasRecord) splitter.end();
  return found;
}

async function isZip(file: RandomAccess): Promise<boolean> {
  const [first, second] = await file.read(0, 4);
  return first === 0x50 && second === 0x4b;
}

async function* checkedRecords(bytes: () => AsyncIterable<Uint8Array>): AsyncGenerator {
  for await (const _record of recordsOf(bytes()));
  yield* recordsOf(bytes());
}

/** The records of a document: the elements of its array, or itself. A list of messages is one record. */
async function* recordsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator {
  let found: unknown[] = [];
  const messages: unknown[] = [];
  const splitter = new JsonSplitter((text, depth) => void found.push(parse(text, depth)));
  for await (const piece of bytes) {
    splitter.push(piece);
    const records = found;
    found = [];
    for (const record of records) {
      if (isMessage(record)) messages.push(record);
      else yield record;
    }
  }
  splitter.end();
  yield* found;
  if (messages.length > 0) yield messages;
}

function parse(text: string, depth: number): unknown {
  const record = parseJson(text);
  // A tree of messages may be deep; the content of messages is not.
  const deepest = recognizesLibreChat(record) ? Infinity : isMessage(record) ? deepestMessage : deepestConversation;
  if (depth > deepest)
    throw new ChatExportError(
      'too-deep',
      `A ${deepest === deepestMessage ? 'message' : 'conversation'} of the file is nested deeper than ${deepest} levels. Nothing was taken in. Take it out of the file, and import the rest.`,
    );
  return record;
}

/** Deeper values are refused at Loom's doors. */
const deepestMessage = 100;
/** Deeper ones are made to break readers. */
const deepestConversation = 2000;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ChatExportError(
      'broken',
      'The file is not JSON throughout. Export it again, or get it again, and then import it.',
    );
  }
}

async function* readRecord(
  record: unknown,
  product: ChatProduct,
  tally: Tally,
  findFile: FindFile,
): AsyncGenerator<ForeignItem[]> {
  if (!isOf(record, product)) {
    tally.reported('A record is not a conversation of this product.');
    return;
  }
  switch (product) {
    case 'chatgpt':
      if (recognizesChatGPT(record)) yield await readChatGPT(record, tally, findFile);
      return;
    case 'claude-ai':
      if (recognizesClaudeAI(record)) yield readClaudeAI(record, tally);
      return;
    case 'open-webui':
      if (recognizesOpenWebUI(record)) yield readOpenWebUI(record, tally);
      return;
    case 'librechat':
      if (recognizesLibreChat(record)) yield readLibreChat(record, tally);
      return;
    case 'lobe':
      if (recognizesLobe(record)) yield readLobe(record, tally);
      return;
    case 'ai-sdk':
      yield readAiSdkMessages(record, tally);
      return;
    case 'openai-messages':
      yield readOpenAIMessages(record, tally);
      return;
  }
}

function noFile(): Promise<undefined> {
  return Promise.resolve(undefined);
}

function documentsOf(archive: ZipArchive, tally: Tally): ZipEntry[] {
  const odd = archive.entries.filter(({ name }) => isTrick(name));
  if (odd.length > 0) tally.remark('Names in the archive point outside of it: those entries are left alone.');
  return archive.entries.filter(isDocument);
}

/** ChatGPT and Claude.ai have other documents beside the conversations: accounts, feedback, projects. */
function isDocument(entry: ZipEntry): boolean {
  return /^conversations.*\.json$/i.test(nameOf(entry)) && !isTrick(entry.name);
}

function isTrick(name: string): boolean {
  return /(?:^|[/\\])\.\.(?:[/\\]|$)|^[/\\]|^[A-Za-z]:|\0/.test(name);
}

function nameOf({ name }: ZipEntry): string {
  return name.split('/').at(-1) ?? name;
}

/** The largest image that is taken out of an archive. */
const largestFile = 64 * 1024 * 1024;

/** The files of an archive, by the ids with which their names begin. */
class ArchiveFiles {
  readonly #archive: ZipArchive;
  readonly #names = new Map<string, ZipEntry>();

  readonly #tally: Tally;

  constructor(archive: ZipArchive, tally: Tally) {
    this.#archive = archive;
    this.#tally = tally;
    for (const entry of archive.entries) {
      const id = /^(file[-_][A-Za-z0-9]+)/.exec(nameOf(entry))?.[1];
      if (id !== undefined && !isTrick(entry.name)) this.#names.set(id, entry);
    }
  }

  async find(id: string): Promise<{ name: string; bytes: Uint8Array } | undefined> {
    const entry = this.#names.get(/^file[-_][A-Za-z0-9]+/.exec(id)?.[0] ?? '');
    if (entry === undefined || entry.unpacked > largestFile) return undefined;
    const pieces: Uint8Array[] = [];
    try {
      for await (const piece of this.#archive.read(entry)) pieces.push(piece);
    } catch (error) {
      // The conversation still names the file; it can do without its bytes.
      if (!(error instanceof ChatExportError)) throw error;
      this.#tally.remark('A file of the archive cannot be read, and is missing.');
      return undefined;
    }
    return { name: nameOf(entry), bytes: Buffer.concat(pieces) };
  }
}
