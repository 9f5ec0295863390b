import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TranscriptFacts } from '../transcript-reader.ts';

/** One run of the command: its output, and the transcripts that it left. */
export interface Capture {
  readonly name: string;
  readonly stdout: Uint8Array;
  readonly transcripts: readonly { readonly text: string; readonly facts: TranscriptFacts }[];
}

const folder = process.env['LOOM_CAPTURES'] ?? join(import.meta.dirname, '../../../../../../shared/captures');

/** The reason tests over captures are skipped, or `false`. */
export const noCaptures = existsSync(join(folder, 'claude'))
  ? false
  : 'no captures of agent CLIs here: put them into ../shared/captures or set LOOM_CAPTURES';

/** The runs that printed a stream, in the order of their names. */
export function readCaptures(): Capture[] {
  if (noCaptures !== false) return [];
  return readdirSync(join(folder, 'claude'))
    .sort()
    .map((name) => ({ name, path: join(folder, 'claude', name) }))
    .filter(({ path }) => existsSync(join(path, 'stdout.ndjson')))
    .map(({ name, path }) => ({
      name,
      stdout: readFileSync(join(path, 'stdout.ndjson')),
      transcripts: transcriptsOf(path),
    }));
}

function transcriptsOf(path: string): Capture['transcripts'] {
  const files = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(({ name }) => /^[^.]+\.jsonl$/.test(name))
    .map(({ name, parentPath }) => ({ name, file: join(parentPath, name) }));
  return files.map(({ name, file }) => {
    const agent = /^agent-(.+)\.jsonl$/.exec(name)?.[1];
    return { text: readFileSync(file, 'utf8'), facts: agent === undefined ? {} : { agent: { id: agent } } };
  });
}
