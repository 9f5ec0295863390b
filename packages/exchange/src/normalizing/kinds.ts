import { createStreamReader, createTranscriptReader } from '../claude-code/index.ts';
import { createExecReader, createRolloutReader } from '../codex/index.ts';
import type { LineReader } from '../foreign/foreign.ts';
import { createDialectReader } from '../other-clis/dialect.ts';
import { geminiStream, opencodeStream, piStream } from '../other-clis/streams.ts';
import type { Totals } from './totals.ts';

/** The inputs that can be normalized: output of commands, and the files that two of them leave. */
export type NormalizedKind =
  | 'claude-cli'
  | 'claude-code'
  | 'codex-cli'
  | 'codex'
  | 'gemini-cli'
  | 'opencode-cli'
  | 'pi-cli';

interface Kind {
  /** The source that blocks carry. */
  readonly source: string;
  create(): LineReader & { readonly spending?: Partial<Totals> | undefined };
}

const kinds: Readonly<Record<NormalizedKind, Kind>> = {
  'claude-cli': { source: 'claude-code', create: createStreamReader },
  'claude-code': { source: 'claude-code', create: createTranscriptReader },
  'codex-cli': { source: 'codex', create: createExecReader },
  codex: { source: 'codex', create: createRolloutReader },
  'gemini-cli': { source: 'gemini-cli', create: () => createDialectReader(geminiStream, 'stream') },
  'opencode-cli': { source: 'opencode', create: () => createDialectReader(opencodeStream, 'stream') },
  'pi-cli': { source: 'pi', create: () => createDialectReader(piStream, 'stream') },
};

export function kindOf(name: NormalizedKind): Kind {
  return kinds[name];
}

export function isNormalizedKind(name: string): name is NormalizedKind {
  return Object.hasOwn(kinds, name);
}

export const normalizedKinds: readonly string[] = Object.keys(kinds);
