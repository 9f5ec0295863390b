import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { ForeignItem, LineReader, Tally } from '../foreign/foreign.ts';
import { ChatExportError } from './chat-export-error.ts';
import { LoomLinesReader, recognizesLoomLines } from './loom-lines-reader.ts';
import { OpenAILinesReader, recognizesOpenAIMessages } from './openai-messages.ts';
import type { RandomAccess } from './random-access.ts';
import { readChats, recognizeChats } from './read-chats.ts';
import type { ChatProduct } from './read-chats.ts';

/** Exports of chat products as files that are read whole. */
export interface ChatDocumentFormat {
  readonly form: 'document';
  readonly source: ChatProduct;
  readonly name: string;
  recognizes(path: string, beginning: string): Promise<boolean>;
  read(input: {
    readonly file: { readonly path: string };
    readonly tally: Tally;
  }): AsyncIterable<readonly ForeignItem[]>;
}

/** Exports that come in lines. */
export interface ChatLineFormat {
  readonly form: 'lines';
  readonly source: string;
  readonly name: string;
  recognizes(path: string, beginning: string): boolean;
  open(): LineReader;
}

const names: readonly (readonly [ChatProduct, string])[] = [
  ['chatgpt', 'ChatGPT'],
  ['claude-ai', 'Claude.ai'],
  ['open-webui', 'Open WebUI'],
  ['librechat', 'LibreChat'],
  ['lobe', 'LobeChat'],
  ['ai-sdk', 'AI SDK'],
  ['openai-messages', 'OpenAI messages'],
];

/** Every form of export of a chat product that can be read. */
export const chatFormats: readonly (ChatDocumentFormat | ChatLineFormat)[] = [
  {
    form: 'lines',
    source: 'loom',
    name: 'Loom',
    recognizes: (_path, beginning) => recognizesLoomLines(beginning),
    open: () => new LoomLinesReader(),
  },
  {
    form: 'lines',
    source: 'openai-messages',
    name: 'OpenAI messages',
    recognizes: (path, beginning) => path.endsWith('.jsonl') && beginsWithMessages(beginning),
    open: () => new OpenAILinesReader(),
  },
  ...names.map(([source, name]): ChatDocumentFormat => documentFormat(source, name)),
];

function documentFormat(source: ChatProduct, name: string): ChatDocumentFormat {
  return {
    form: 'document',
    source,
    name,
    recognizes: async (path, beginning) => mayBeExport(beginning) && (await productOfFile(path, beginning)) === source,
    async *read({ file, tally }) {
      await using handle = await open(file.path);
      yield* readChats(await accessTo(handle), source, tally);
    },
  };
}

/** Returns true if a file begins like JSON or like an archive. */
function mayBeExport(beginning: string): boolean {
  return /^\uFEFF?\s*[[{]/.test(beginning) || beginning.startsWith('PK');
}

let last: { path: string; beginning: string; product: Promise<ChatProduct | undefined> } | undefined;

/** Returns the product a file comes from. Each format asks for the same file, so the last answer is remembered. */
function productOfFile(path: string, beginning: string): Promise<ChatProduct | undefined> {
  if (last?.path !== path || last.beginning !== beginning)
    last = { path, beginning, product: findProduct(path, beginning) };
  return last.product;
}

async function findProduct(path: string, beginning: string): Promise<ChatProduct | undefined> {
  await using handle = await open(path);
  try {
    return await recognizeChats(await accessTo(handle));
  } catch (error) {
    if (!(error instanceof ChatExportError)) throw error;
    // A damaged or malicious export still counts as one: reading it reports the problem.
    if (beginning.startsWith('PK')) return 'chatgpt';
    const isJson = error.code === 'chat-export-too-deep' || error.code === 'chat-export-too-large';
    return [...surely, ...(isJson ? likely : [])].find(([, sign]) => sign.test(beginning))?.[0];
  }
}

/** Signs of each product's exports, for files that cannot be read to the end of their first conversation. */
const surely: readonly (readonly [ChatProduct, RegExp])[] = [
  ['chatgpt', /"mapping"/],
  ['claude-ai', /"chat_messages"/],
  ['lobe', /^\uFEFF?\s*\{\s*"exportType"\s*:\s*"\w*"\s*,\s*"state"\s*:/],
  ['lobe', /^\uFEFF?\s*\{\s*"data"\s*:\s*\{\s*"(?:user\w+|agents|ai\w+|message\w*|session\w*|topics)"\s*:\s*\[/],
  ['lobe', /^\uFEFF?\s*\{\s*"version"\s*:\s*"[^"]*"\s*,(?:\s*"title"\s*:\s*"[^"]*"\s*,)?\s*"messages"\s*:/],
];

/** The same, for signs that may stand in files of other programs too. */
const likely: readonly (readonly [ChatProduct, RegExp])[] = [
  ['open-webui', /"chat"\s*:\s*\{[^]*"history"\s*:/],
  ['librechat', /"conversationId"\s*:/],
  ['openai-messages', /^\uFEFF?\s*(?:\[\s*)?\{\s*"(?:role|messages)"\s*:/],
];

async function accessTo(handle: FileHandle): Promise<RandomAccess> {
  const { size } = await handle.stat();
  return {
    size,
    async read(offset, length) {
      const buffer = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset);
      return buffer.subarray(0, bytesRead);
    },
  };
}

/** Returns true if the first line of a file is a message, or a conversation of messages. */
function beginsWithMessages(beginning: string): boolean {
  const end = beginning.indexOf('\n');
  const line = (end === -1 ? beginning : beginning.slice(0, end)).replace(/^\uFEFF/, '');
  try {
    const record: unknown = JSON.parse(line);
    return recognizesOpenAIMessages(record) || recognizesOpenAIMessages([record]);
  } catch {
    // The line is longer than the part that was read: a list of messages begins like this.
    return end === -1 && /^\s*\{\s*"messages"\s*:\s*\[\s*\{\s*"role"\s*:/.test(line);
  }
}
