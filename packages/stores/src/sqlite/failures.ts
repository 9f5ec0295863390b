import { StoreError } from '@loom/kernel/store';
import { fileFailure, fullAdvice } from '../disk/file-failure.ts';

/** Translates a SQLite failure into the error that Loom's users see. Returns anything that is not a database failure unchanged. */
export function databaseFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StoreError || !('code' in error)) return error;
  const fail = (code: StoreError['code'], advice: string): StoreError =>
    new StoreError(code, `loom.db: ${error.message}`, advice, { cause: error });
  switch (error.code) {
    case 'ERR_SQLITE_ERROR':
      if (isWithoutRoom(error)) return fail('store-failed', fullAdvice);
      break;
    case 'ERR_OUT_OF_RANGE':
      return fail('store-corrupt', corruptAdvice);
    case 'ERR_INVALID_STATE':
      return fail('store-failed', 'The connection was lost. Try again: the next attempt makes a new one.');
    default:
      return typeof error.code === 'string' && 'syscall' in error ? fileFailure(error, 'loom.db') : error;
  }
  // The low byte is the kind, the rest a detail: https://sqlite.org/rescode.html
  switch ('errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0) {
    case 1: // SQLITE_ERROR: the statements are fixed, so one that does not fit the tables shows that these are damaged
      if (/no such|malformed|syntax error/u.test(error.message)) return fail('store-corrupt', corruptAdvice);
      return fail('store-failed', diskAdvice);
    case 5: // SQLITE_BUSY
    case 6: // SQLITE_LOCKED
      return fail('store-locked', 'Another process keeps the database busy. End it, or try again later.');
    case 11: // SQLITE_CORRUPT
    case 19: // SQLITE_CONSTRAINT: two tables contradict each other
    case 26: // SQLITE_NOTADB
      return fail('store-corrupt', corruptAdvice);
    case 8: // SQLITE_READONLY
      return fail('store-failed', 'Make the data directory and loom.db writable for you, then try again.');
    case 13: // SQLITE_FULL
      return fail('store-failed', fullAdvice);
    case 14: // SQLITE_CANTOPEN
      return fail('store-failed', 'Check that the data directory exists and that you may write to it.');
    default:
      return fail('store-failed', diskAdvice);
  }
}

/** Returns true if SQLite could not make the file that goes with its write-ahead log, which it needs even for reading: the disk is full. */
export function isWithoutRoom(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === shmSizeFailure;
}

/** Returns true if SQLite may not write where it has to. */
export function isWithoutRight(error: unknown): boolean {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
  return code === readOnlyFailure || code === cannotOpen;
}

// SQLITE_READONLY and SQLITE_CANTOPEN
const [readOnlyFailure, cannotOpen] = [8, 14];
// SQLITE_IOERR_SHMSIZE
const shmSizeFailure = 4874;

const diskAdvice = 'Check the disk and the permissions of the data directory, then try again.';

/** Advice for the user about a damaged database. */
export const corruptAdvice =
  'Copy the data folder to a safe place before anything else. Then restore a backup; or move loom.db, loom.db-wal and loom.db-shm out of the folder: the next command rebuilds the conversations from their node files, without earlier versions.';
