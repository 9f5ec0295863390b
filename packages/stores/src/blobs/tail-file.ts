import { writeFully } from '../disk/durable-files.ts';
import type { FilesPort, OpenFile } from '../disk/files-port.ts';

/** A new file that is open and written at its end. */
export class TailFile {
  readonly path: string;
  readonly #file: OpenFile;
  #length = 0;
  #isOpen = true;

  private constructor(path: string, file: OpenFile) {
    this.path = path;
    this.#file = file;
  }

  static async create(files: FilesPort, path: string): Promise<TailFile> {
    return new TailFile(path, await files.open(path, 'create'));
  }

  get length(): number {
    return this.#length;
  }

  /** Writes from a position on, which is the end unless another is given. */
  async write(bytes: Uint8Array, position = this.#length): Promise<void> {
    await writeFully(this.#file, bytes, position);
    this.#length = Math.max(this.#length, position + bytes.length);
  }

  sync(): Promise<void> {
    return this.#file.sync();
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#file.close();
  }
}
