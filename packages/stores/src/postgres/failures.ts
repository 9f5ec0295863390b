import { DatabaseError } from 'pg';
import { StoreError } from '@loom/kernel/store';

/** Translates a failure of PostgreSQL, or of the way to it, into the error that Loom's users see. Any other error is returned as it is. */
export function databaseFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  const fail = (code: StoreError['code'], advice: string): StoreError =>
    new StoreError(code, `PostgreSQL: ${error.message}`, advice, { cause: error });
  if (!(error instanceof DatabaseError)) {
    return isLostConnection(error) ? fail('store-failed', unreachableAdvice) : error;
  }
  // https://www.postgresql.org/docs/current/errcodes-appendix.html
  const code = error.code ?? '';
  switch (code) {
    case '53100': // disk_full
      return fail('store-failed', 'Make room on the disk of the database, then try again.');
    case '53300': // too_many_connections
      return fail(
        'store-failed',
        'The database has no connection left. Raise its max_connections, or run fewer processes.',
      );
    case '57014': // query_canceled, by the time limit
      return fail('store-failed', 'The database took too long. Look at its load and locks, then try again.');
    case '42501': // insufficient_privilege
      return fail(
        'store-failed',
        'Let the user of the database create and use the schema: GRANT CREATE ON DATABASE … TO ….',
      );
    case '25006': // read_only_sql_transaction
      return fail('store-failed', 'This is a read-only replica. Name the primary server in the URL.');
    case '42P01': // undefined_table
    case '42883': // undefined_function
    case '3F000': // invalid_schema_name
      return fail('store-failed', 'Tables of Loom are missing from the schema. Restore the database from a backup.');
    default:
  }
  switch (code.slice(0, 2)) {
    case '08': // connection exceptions
    case '57': // the server shuts down, or starts
      return fail('store-failed', unreachableAdvice);
    case '28': // invalid authorization
    case '3D': // invalid catalog name
      return fail('store-failed', 'Check the user, the password and the database in the URL.');
    case '40': // a deadlock or a serialization failure: everything was rolled back
    case '55': // a lock that is not to be had
      return fail('store-locked', 'Others kept the data busy. Try again.');
    case '23': // constraint violations
    case 'XX': // data corrupted, index corrupted
      return fail('store-corrupt', 'The database is damaged. Check it with pg_amcheck, and restore it from a backup.');
    default:
      return fail('store-failed', 'Look into the log of the database for the reason, then try again.');
  }
}

/** Returns true for a failure of the connection, after which another one may work. */
function isLostConnection(error: Error): boolean {
  if ('syscall' in error || ('code' in error && /^E[A-Z]+$/u.test(String(error.code)))) return true;
  if (error instanceof AggregateError) return true;
  // The driver gives no codes for these.
  return /connection|timeout|not queryable|SSL|SASL|stream|client was closed|Cannot use a pool/iu.test(error.message);
}

const unreachableAdvice =
  'Check that the database runs and can be reached from here, then try again: the next attempt makes a new connection.';
