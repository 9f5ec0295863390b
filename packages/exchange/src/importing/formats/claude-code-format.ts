import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { recognizesTranscriptDocument, transcriptRecords } from '../../claude-code/document.ts';
import { createTranscriptReader } from '../../claude-code/transcript-reader.ts';
import type { TranscriptFacts } from '../../claude-code/transcript-reader.ts';
import { readJsonLine } from '../../foreign/json-line.ts';
import { findFile } from '../file-scan.ts';
import type { ForeignFormat } from '../format.ts';

/** Transcripts of Claude Code: `<session>.jsonl`, and those of sub-agents, in folders beside them or among them. */
export const claudeCodeFormat: ForeignFormat = {
  source: 'claude-code',
  name: 'Claude Code',
  form: 'lines',
  recognizes: (_path, beginning) => recognizesTranscript(beginning.split('\n', mostLines)),
  isPart: (path) => /[\\/](?:agent-[^\\/]*\.meta|custom-title)\.json$/u.test(path),
  open: async ({ path }) => createTranscriptReader(await factsOf(path)),
};

/** A transcript that some tool has saved as one JSON document. */
export const claudeCodeDocumentFormat: ForeignFormat = {
  source: 'claude-code',
  name: 'Claude Code',
  form: 'document',
  recognizes: (_path, beginning) => recognizesTranscriptDocument(beginning),
  async *read({ file, tally }) {
    const records = file.bytes > mostBytes ? undefined : transcriptRecords(await readFile(file.path, 'utf8'));
    if (records === undefined) return tally.reported('The document is too long, or not complete.');
    const reader = createTranscriptReader(await factsOf(file.path), tally);
    for (const record of records) reader.pushRecord(record);
    reader.end();
    yield reader.take();
  },
};

/** A document is held whole while it is read. */
const mostBytes = 100 * 1024 * 1024;

const mostLines = 50;

/** Programs modeled on Claude Code write the same lines around messages of other shapes: those are not its own. */
function recognizesTranscript(lines: readonly string[]): boolean {
  return lines.some(isTranscriptLine) && !lines.some((line) => line.includes('"parts":') && hasGeminiMessage(line));
}

function hasGeminiMessage(line: string): boolean {
  const read = readJsonLine(line);
  return (
    read.kind === 'objects' &&
    read.objects.some(
      ({ message }) => isPlainObject(message) && Array.isArray(message.parts) && message.content === undefined,
    )
  );
}

/** Returns true for a message with its place in the chain, or a line that only transcripts have. Printed streams have neither. */
function isTranscriptLine(line: string): boolean {
  const read = readJsonLine(line);
  if (read.kind !== 'objects') return false;
  return read.objects.some((object) => {
    const { type, uuid, parentUuid, sessionId, leafUuid } = object;
    if (type === 'summary') return typeof leafUuid === 'string';
    if (typeof type !== 'string' || typeof sessionId !== 'string') return false;
    return (typeof uuid === 'string' && parentUuid !== undefined) || sideTypes.has(type);
  });
}

const sideTypes: ReadonlySet<string> = new Set([
  'queue-operation',
  'last-prompt',
  'custom-title',
  'mode',
  'permission-mode',
]);

/** Returns the facts that a file's path gives: the name of its session, and for a sub-agent the notes beside it. */
async function factsOf(path: string): Promise<TranscriptFacts> {
  const name = basename(path).replace(/\.jsonl?$/u, '');
  const id = /^agent-(.+)$/u.exec(name)?.[1];
  if (id === undefined) return { session: name };
  const folder = dirname(path);
  const session = basename(folder) === 'subagents' ? { session: basename(dirname(folder)) } : {};
  const { toolUseId, description, agentType } = await readMeta(path.replace(/\.jsonl$/u, '.meta.json'));
  return {
    ...session,
    agent: {
      id,
      ...(typeof toolUseId === 'string' ? { call: toolUseId } : {}),
      ...(typeof description === 'string' ? { title: description } : {}),
      ...(typeof agentType === 'string' ? { kind: agentType } : {}),
    },
  };
}

async function readMeta(path: string): Promise<PlainObject> {
  try {
    if ((await findFile(path)) === undefined) return {};
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isPlainObject(value) ? value : {};
  } catch {
    // Older versions write no such file.
    return {};
  }
}
