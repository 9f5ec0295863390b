import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import sqlite from 'node:sqlite';

// Loaded before a process of a test, in all its threads: kills it before the step with the number KILL_AT. A step is a call that changes a file. They are
// counted as bytes of the file STEPS, from its creation on.
const { closeSync, existsSync, fstatSync, openSync, writeSync } = fs;
const counter = process.env['STEPS'] ?? '';
const last = Number(process.env['KILL_AT']);

function step(): void {
  if (!existsSync(counter)) return;
  const file = openSync(counter, 'a');
  writeSync(file, '.');
  const { size } = fstatSync(file);
  closeSync(file);
  if (size === last) process.kill(process.pid, 'SIGKILL');
}

function watch(owner: object, names: readonly string[]): void {
  for (const name of names) {
    const original: unknown = Reflect.get(owner, name);
    if (typeof original !== 'function') throw new TypeError(`there is no ${name}`);
    const watched = function (this: unknown, ...args: unknown[]): unknown {
      step();
      return Reflect.apply(original, this, args);
    };
    Reflect.set(owner, name, watched);
  }
}

const changes = ['rename', 'rm', 'unlink', 'writeFile', 'truncate'];
watch(fs.promises, changes);
watch(
  fs,
  changes.map((name) => `${name}Sync`),
);
const handle = await open(import.meta.filename);
watch(Reflect.getPrototypeOf(handle) ?? {}, ['sync', 'datasync', 'truncate']);
await handle.close();
// The pragma that empties the write-ahead log is prepared.
watch(sqlite.DatabaseSync.prototype, ['exec', 'prepare']);
syncBuiltinESMExports();
