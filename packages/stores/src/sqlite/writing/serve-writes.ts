import { MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { Connection } from '../connection.ts';
import { describeFailure } from './failure-message.ts';
import { decodeWorks } from './write-message.ts';
import { performWorks } from './write-work.ts';
import type { WriterOptions, WriterReply, WriterRequest } from './writer-thread.ts';

/** Commits the requests of the main thread, until it says that it is enough. */
export async function serveWrites(connect: (path: string) => Connection): Promise<void> {
  const options: unknown = workerData;
  if (!isWriterOptions(options)) throw new TypeError('the thread that writes was not told where');
  const { path, port, bell } = options;
  const connection = connect(path);
  const reply = (message: WriterReply): void => port.postMessage(message, []);
  // The first commit reports anything wrong with the database.
  await connection.open().catch(() => undefined);
  reply({ type: 'ready' });
  const requests = new Requests(port, bell);
  for (;;) {
    const request = requests.next();
    if (request.type === 'close') break;
    try {
      reply({ type: 'answers', answers: await performWorks(connection, decodeWorks(request.works)) });
    } catch (error) {
      reply({ type: 'failed', failure: describeFailure(error) });
    }
  }
  connection.close();
  port.close();
}

/**
 * Waits on a number that the other thread counts up, and is awake sooner than an event loop would be. In a rush, when the last requests came
 * right after an answer, it looks for the next one for a moment before it sleeps: waking it takes as long as the wait.
 */
class Requests {
  readonly #port: MessagePort;
  readonly #bell: Int32Array;
  /** The number of requests in a row that came right after an answer. */
  #quick = 0;

  constructor(port: MessagePort, bell: Int32Array) {
    this.#port = port;
    this.#bell = bell;
  }

  next(): WriterRequest {
    const since = performance.now();
    for (;;) {
      const rung = Atomics.load(this.#bell, 0);
      const received: { message: WriterRequest } | undefined = receiveMessageOnPort(this.#port);
      if (received !== undefined) {
        this.#quick = performance.now() - since < rushPause ? this.#quick + 1 : 0;
        return received.message;
      }
      if (this.#quick >= rushLength)
        while (Atomics.load(this.#bell, 0) === rung && performance.now() - since < rushPause);
      Atomics.wait(this.#bell, 0, rung);
    }
  }
}

// In milliseconds. A writer that waits for its answer asks again after 0.05 to 0.15.
const rushPause = 0.3;
// One quick request is no rush: an agent's messages come in twos, with a pause behind them that would be spent looking.
const rushLength = 2;

function isWriterOptions(value: unknown): value is WriterOptions {
  if (typeof value !== 'object' || value === null) return false;
  if (!('path' in value && 'port' in value && 'bell' in value)) return false;
  return typeof value.path === 'string' && value.port instanceof MessagePort && value.bell instanceof Int32Array;
}
