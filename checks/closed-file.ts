import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Finding } from './finding.ts';
import { readText } from './repository.ts';

/** A file that gets no new importers, and the list of those that it still has. */
export class ClosedFile {
  readonly file: string;
  /** The text file with the importers, one path a line, relative to its own folder. */
  readonly list: string;
  readonly #importers: readonly string[];
  readonly #seen = new Set<string>();

  constructor(root: string, file: string, list: string) {
    this.file = file;
    this.list = list;
    const text = existsSync(join(root, list)) ? readText(root, list) : '';
    this.#importers = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => posix.join(posix.dirname(list), line));
  }

  get length(): number {
    return this.#importers.length;
  }

  judge(importer: string): string | undefined {
    this.#seen.add(importer);
    if (this.#importers.includes(importer)) return undefined;
    return `${this.file} gets no new importers: name what is needed in a small interface beside this file, and let the caller pass it in`;
  }

  unused(): Finding[] {
    return this.#importers.flatMap((importer, index) =>
      this.#seen.has(importer)
        ? []
        : [{ file: this.list, line: index + 1, message: `${importer} does not import ${this.file}; remove the line` }],
    );
  }
}
