import { modelWords } from '@loom/kernel';
import type { Outcome } from '@loom/kernel';
import type { Problem } from './problems.ts';
import { statusOfRefusal } from './refusal-status.ts';

/** The headers of every response: it is read as the type it declares, by this origin alone, and kept by no cache. */
const commonHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** An answer with the headers that all have; those that are given go before. */
export function answer(
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(body, { status, headers: { ...commonHeaders, ...headers } });
}

export function answerJson(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return answer(JSON.stringify(value), status, { 'content-type': 'application/json', ...headers });
}

/** Makes the response for an outcome. A refusal is the same data as at every door, with its words for a program that calls operations. */
export function answerOutcome(outcome: Outcome<unknown>, headers: Readonly<Record<string, string>> = {}): Response {
  if (outcome.ok) return answerJson(outcome, 200, headers);
  const { refusal } = outcome;
  return answerJson({ ok: false, refusal, message: modelWords(refusal) }, statusOfRefusal[refusal.reason], headers);
}

/** Makes the response for a problem of the door itself, since no operation has refused anything. */
export function answerProblem(problem: Problem): Response {
  const { status, headers, body } = describeProblem(problem);
  return new Response(body, { status, headers });
}

/** The same for those that are turned away before there is a request to answer. */
export function describeProblem({ status, reason, message, advice, retryAfter }: Problem): WrittenAnswer {
  const challenge = status === 401 ? { 'www-authenticate': 'Bearer realm="loom"' } : {};
  const wait = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  const words = `${message.charAt(0).toUpperCase()}${message.slice(1)}. ${advice}`;
  return {
    status,
    headers: { ...commonHeaders, 'content-type': 'application/json', ...challenge, ...wait },
    body: JSON.stringify({ ok: false, problem: { reason }, message: words }),
  };
}

/** An answer as it is written. */
export interface WrittenAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}
