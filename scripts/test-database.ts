import { findPostgres, sharedServerVariable, startServer } from '@loom/stores/postgres/testing';

/** Returns true for tests that need PostgreSQL. */
export function usesDatabase(file: string, text: string): boolean {
  return file.includes('/stores/src/postgres/') || text.includes("'@loom/stores/postgres/testing'");
}

/** Runs tests beside one server for all of them, unless DATABASE_URL names one. Where there is none they are skipped, and say so. */
export async function withDatabase<T>(work: () => Promise<T>): Promise<T> {
  if (process.env['DATABASE_URL'] !== undefined || findPostgres() === undefined) return work();
  const server = await startServer();
  process.env[sharedServerVariable] = server.url;
  try {
    return await work();
  } finally {
    delete process.env[sharedServerVariable];
    await server.stop();
  }
}
