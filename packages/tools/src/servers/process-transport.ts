import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/client';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { encodeUtf8 } from '@loom/blocks';
import type { ProcessOrder, ProcessPort, RunningProcess } from '@loom/kernel';

/** Speaks MCP with a program over its input and output. The program is started by Loom's port, and so never outlives Loom. */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #processes: Pick<ProcessPort, 'spawn'>;
  readonly #order: ProcessOrder;
  readonly #printed: (piece: string) => void;
  readonly #ended: (how: string) => void;
  readonly #buffer = new ReadBuffer();
  #running: RunningProcess | undefined;

  /** `printed` gets what the program writes to its error output, `ended` hears how it ended. */
  constructor(
    processes: Pick<ProcessPort, 'spawn'>,
    order: ProcessOrder,
    printed: (piece: string) => void,
    ended: (how: string) => void,
  ) {
    this.#processes = processes;
    this.#order = order;
    this.#printed = printed;
    this.#ended = ended;
  }

  async start(): Promise<void> {
    const started = await this.#processes.spawn({ ...this.#order, takesInput: true });
    if (!started.ok) throw new Error(started.refusal.message);
    this.#running = started.process;
    void this.#listen(started.process);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#running?.write(encodeUtf8(serializeMessage(message)));
  }

  async close(): Promise<void> {
    await this.#running?.stop();
  }

  async #listen(running: RunningProcess): Promise<void> {
    const errors = new TextDecoder();
    let flood: string | undefined;
    try {
      for await (const { stream, bytes } of running.output) {
        if (stream === 'stderr') this.#printed(errors.decode(bytes, { stream: true }));
        else this.#take(bytes);
      }
    } catch (error) {
      // It said more than may be held without an end of line.
      flood = `stopped: ${asError(error).message}`;
      this.onerror?.(asError(error));
      void running.stop();
    }
    const { reason, code, signal } = await running.ended;
    const how = signal ?? (code === undefined ? reason : `exit ${code}`);
    this.#ended(flood ?? (reason === 'exited' ? how : `${reason}, ${how}`));
    this.onclose?.();
  }

  #take(bytes: Uint8Array): void {
    this.#buffer.append(Buffer.from(bytes));
    for (;;) {
      let message: JSONRPCMessage | null;
      try {
        message = this.#buffer.readMessage();
      } catch (error) {
        // A line that is no message: many programs greet on their output. It is gone from the buffer.
        this.onerror?.(asError(error));
        continue;
      }
      if (message === null) return;
      this.onmessage?.(message);
    }
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
