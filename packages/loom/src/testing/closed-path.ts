import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { sep } from 'node:path';
import type { TestContext } from 'node:test';

/**
 * Keeps this process from opening, reading, listing or looking at anything in a file or folder, as missing permissions would. Those cannot
 * be taken away from tests that run as root. Returns a function that gives them back, which the end of the test does, too.
 */
export function closePath(context: TestContext, path: string): () => void {
  const isInside = (asked: unknown): boolean => String(asked).startsWith(path + sep);
  const isClosed = (asked: unknown): boolean => asked === path || isInside(asked);
  const replaced = [
    ...['openSync', 'readFileSync', 'readdirSync'].map((name) => refuse(fs, name, isClosed)),
    ...['open', 'readFile', 'readdir'].map((name) => refuse(fs.promises, name, isClosed)),
    ...['lstatSync', 'statSync'].map((name) => refuse(fs, name, isInside)),
  ];
  syncBuiltinESMExports();
  const open = (): void => {
    for (const putBack of replaced) putBack();
    syncBuiltinESMExports();
  };
  context.after(open);
  return open;
}

/** Replaces a call by one that fails for some paths; returns a function that puts it back. */
function refuse(calls: object, name: string, isClosed: (path: unknown) => boolean): () => void {
  const original: unknown = Reflect.get(calls, name);
  if (typeof original !== 'function') throw new TypeError(`there is no call ${name}`);
  const isPromised = calls === fs.promises;
  Reflect.set(calls, name, (...given: unknown[]) => {
    const [path] = given;
    const message = `EACCES: permission denied, ${name} '${String(path)}'`;
    const error = isClosed(path) ? Object.assign(new Error(message), { code: 'EACCES' }) : undefined;
    if (error !== undefined && !isPromised) throw error;
    const answer: unknown = error === undefined ? Reflect.apply(original, calls, given) : Promise.reject(error);
    return answer;
  });
  return () => void Reflect.set(calls, name, original);
}
