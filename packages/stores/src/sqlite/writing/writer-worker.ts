// The thread that writes: see writer-thread.ts. It loads little, because it starts while a caller waits.
import { Connection } from '../connection.ts';
import { connectDatabase } from '../database.ts';
import { serveWrites } from './serve-writes.ts';

await serveWrites((path) => new Connection(() => connectDatabase(path)));
