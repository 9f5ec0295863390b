import type { Cursor, Outcome, Refusal } from '@loom/kernel';
import { ClientError } from './client-error.ts';
import { isObject, parseJson } from './json.ts';

/** Reads what the server answered: an outcome, or a problem of the door, which is thrown. */
export function readAnswer(status: number, text: string): Outcome<unknown> {
  const answer = parseJson(text);
  if (!isObject(answer)) throw notLoom(status);
  const { ok, value, cursor, refusal, problem, message } = answer;
  if (ok === true) return isCursor(cursor) ? { ok, value, cursor } : { ok, value };
  if (ok === false && isRefusal(refusal)) return { ok, refusal };
  if (isObject(problem) && typeof problem['reason'] === 'string') {
    throw new ClientError(problem['reason'], typeof message === 'string' ? message : problem['reason'], { status });
  }
  throw notLoom(status);
}

/** Reads a text from an answer. */
export function readValue(outcome: Outcome<unknown>, key: string): string {
  const text = outcome.ok && isObject(outcome.value) ? outcome.value[key] : undefined;
  if (typeof text !== 'string') throw notLoom(200);
  return text;
}

function notLoom(status: number): ClientError {
  return new ClientError('not-loom', `the answer (status ${status}) is none of a Loom server; check the address`, {
    status,
  });
}

function isCursor(value: unknown): value is Cursor {
  return isObject(value) && typeof value['epoch'] === 'string' && typeof value['seq'] === 'number';
}

/** The server's own data: a reason that this client does not know is handed on, too. */
function isRefusal(value: unknown): value is Refusal {
  return isObject(value) && typeof value['reason'] === 'string';
}
