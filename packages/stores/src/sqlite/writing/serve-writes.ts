import { MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { Connection } from '../connection.ts';
import { describeFailure } from './failure-message.ts';
import { decodeWorks } from './write-message.ts';
import { performWorks } from './write-work.ts';
import type { WriterOptions, WriterReply, WriterRequest } from './writer-thread.ts';

/** Commits what the thread above asks for, until it says that it is enough. */
export async function serveWrites(connect: (path: string) => Connection): Promise<void> {
  const options: unknown = workerData;
  if (!isWriterOptions(options)) throw new TypeError('the thread that writes was not told where');
  const { path, port, bell } = options;
  const connection = connect(path);
  const reply = (message: WriterReply): void => port.postMessage(message, []);
  // Whatever is wrong with the database is reported by the first commit.
  await connection.open().catch(() => undefined);
  reply({ type: 'ready' });
  for (;;) {
    const request = nextRequest(port, bell);
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

/** Waits on a number that the other thread counts up, and is awake sooner than an event loop would be. */
function nextRequest(port: MessagePort, bell: Int32Array): WriterRequest {
  for (;;) {
    const rung = Atomics.load(bell, 0);
    const received: { message: WriterRequest } | undefined = receiveMessageOnPort(port);
    if (received !== undefined) return received.message;
    Atomics.wait(bell, 0, rung);
  }
}

function isWriterOptions(value: unknown): value is WriterOptions {
  if (typeof value !== 'object' || value === null) return false;
  if (!('path' in value && 'port' in value && 'bell' in value)) return false;
  return typeof value.path === 'string' && value.port instanceof MessagePort && value.bell instanceof Int32Array;
}
