import { fileFailure } from '../disk/file-failure.ts';
import { writeDurably } from '../disk/durable-files.ts';
import type { FilesPort } from '../disk/files-port.ts';
import { failedWith } from '../disk/files-port.ts';
import { sealFields, unsealFields } from './sealed-line.ts';

/** A small file of one sealed line, replaced as a whole. */
export class SealedFile {
  readonly #files: FilesPort;
  readonly #path: string;

  constructor(files: FilesPort, path: string) {
    this.#files = files;
    this.#path = path;
  }

  /** Reads the fields; `undefined` if there is no such file, `'damaged'` if it is not as it was written. */
  async read(): Promise<Record<string, unknown> | 'damaged' | undefined> {
    try {
      const bytes = await this.#files.read(this.#path);
      return (bytes.at(-1) === 0x0a ? unsealFields(bytes.subarray(0, -1), this.#path) : undefined) ?? 'damaged';
    } catch (error) {
      if (failedWith(error, 'ENOENT')) return undefined;
      throw fileFailure(error, `could not read ${this.#path}`);
    }
  }

  /** Writes the fields; durable when it returns. */
  async write(fields: Record<string, unknown>): Promise<void> {
    const bytes = new TextEncoder().encode(sealFields(fields));
    try {
      await writeDurably(this.#files, { path: this.#path, bytes });
    } catch (error) {
      throw fileFailure(error, `could not write ${this.#path}`);
    }
  }
}
