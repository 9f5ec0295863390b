import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCorpus } from '@loom/blocks/testing';

/** Files of other programs to test readers with: recorded runs, and published sessions. */
export interface Material {
  readonly files: readonly string[];
  /** The reason for their absence. */
  readonly skip: string | false;
}

/** The captures of agent CLIs that match, in `LOOM_CAPTURES` or beside the repository. */
export function capturesOf(...patterns: string[]): Material {
  const folder = process.env['LOOM_CAPTURES'] ?? join(import.meta.dirname, '../../../../../../shared/captures');
  if (!existsSync(folder)) {
    return { files: [], skip: 'no captures of agent CLIs here: put them into ../shared/captures or set LOOM_CAPTURES' };
  }
  return found(folder, patterns);
}

/** The files of one part of the corpus that match. */
export function corpusOf(name: string, ...patterns: string[]): Material {
  const corpus = findCorpus(name);
  return corpus.found ? found(corpus.directory, patterns) : { files: [], skip: corpus.reason };
}

/** Returns the lines of a file, cut at line feeds. */
export function linesOf(path: string): string[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

function found(folder: string, patterns: readonly string[]): Material {
  const entries = patterns.flatMap((pattern) => globSync(pattern, { cwd: folder, withFileTypes: true }));
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return { files: files.toSorted(), skip: false };
}
