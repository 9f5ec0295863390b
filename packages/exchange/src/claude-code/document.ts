import { isPlainObject } from '@loom/blocks';
import { isList } from '../foreign/fields.ts';

/**
 * Returns the records of a transcript that is one JSON document: a list of them, or an object that holds one. `undefined` if the text is something
 * else. They go to `pushRecord` of a reader of transcripts.
 */
export function transcriptRecords(text: string): readonly unknown[] | undefined {
  const value = parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  const lists = isPlainObject(value) ? [value.loglines, value.messages, value.transcript] : [value];
  return lists.find(isList)?.some(isPlainObject) === true ? lists.find(isList) : undefined;
}

/** Returns true if a JSON document may be a transcript, by its beginning. */
export function recognizesTranscriptDocument(beginning: string): boolean {
  // A session downloaded from Claude on the web need not say where its lines stand.
  if (/^\uFEFF?\s*\{\s*"loglines"\s*:\s*\[\s*\{/.test(beginning)) return true;
  return (
    /^\uFEFF?\s*(?:\[|\{\s*"(?:loglines|messages|transcript)"\s*:\s*\[)/.test(beginning) && records.test(beginning)
  );
}

// Only transcripts have these: the place of a message in its chain, and the last message that a summary covers.
const records = /"(?:parentUuid|leafUuid)"\s*:/;

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
