import type { CallError, CallErrorCode } from '@loom/kernel';
import { causes, property } from './error-causes.ts';
import { MalformedAnswerError } from './malformed-answer.ts';
import { networkError } from './network-error.ts';
import { withoutSecrets } from '../wire/redaction.ts';

/** The origin of an error, and the secrets that must not be shown. */
export interface ErrorScope {
  provider: string;
  model: string;
  secrets: readonly string[];
}

/** No byte came for too long. */
export class SilenceError extends Error {
  readonly isFirst: boolean;
  readonly milliseconds: number;

  constructor(isFirst: boolean, milliseconds: number) {
    super('the connection was silent for too long');
    this.isFirst = isFirst;
    this.milliseconds = milliseconds;
  }
}

/** A line of the answer has no end: every reader of it would hold it in memory. */
export class EndlessLineError extends Error {
  readonly bytes: number;

  constructor(bytes: number) {
    super('a line of the answer is too long');
    this.bytes = bytes;
  }
}

/** An answer makes more calls than the limit, so something must be wrong. */
export class TooManyCallsError extends Error {
  readonly most: number;

  constructor(most: number) {
    super('too many calls');
    this.most = most;
  }
}

/** The provider has sent no answer and says that it will not. */
export class RefusalError extends Error {
  /** In the provider's wording. */
  readonly reason: string;

  constructor(reason: string) {
    super('the provider declines to answer');
    this.reason = reason;
  }
}

/** Converts any error that an SDK throws or streams to Loom's words: what happened, then what to do. */
export function callError(error: unknown, scope: ErrorScope): CallError {
  const silence = causes(error).find((cause) => cause instanceof SilenceError);
  if (silence !== undefined) return silenceError(silence, scope);
  if (error instanceof EndlessLineError) return endlessError(error, scope);
  if (error instanceof TooManyCallsError) return callsError(error, scope);
  if (error instanceof RefusalError) return refusalError(error, scope);
  if (error instanceof MalformedAnswerError) return malformedError(error, scope);
  const status = statusOf(error);
  if (status !== undefined) return statusError(status, error, scope);
  if (isEarlyEnd(error)) return cutError(scope);
  if (isRedirect(error)) return redirectError(scope);
  return networkError(error, scope) ?? otherError(error, scope);
}

/** Returns the error of a connection that ended before the answer did. */
export function cutError({ provider }: ErrorScope): CallError {
  const message = `The connection to ${provider} ended before the answer was complete. What was said until then is kept. Try again, or go on from it.`;
  return { code: 'network', message };
}

function silenceError({ isFirst, milliseconds }: SilenceError, { provider }: ErrorScope): CallError {
  const seconds = Math.round(milliseconds / 1000);
  const what = isFirst ? `did not begin to answer within ${seconds} seconds` : `was silent for ${seconds} seconds`;
  return { code: 'timeout', message: `${provider} ${what}. Try again later.` };
}

function endlessError({ bytes }: EndlessLineError, { provider }: ErrorScope): CallError {
  const size = `${Math.round(bytes / 2 ** 20)} MB`;
  const message = `${provider} has sent a line of more than ${size}, and was not listened to any longer. Check the address that is set for ${provider}.`;
  return { code: 'protocol', message };
}

function callsError({ most }: TooManyCallsError, { provider }: ErrorScope): CallError {
  const message = `${provider} has made more than ${most} calls in one answer, and was not listened to any longer; none of them is run. Ask for fewer steps at a time, or choose another model.`;
  return { code: 'protocol', message };
}

function refusalError({ reason }: RefusalError, { provider }: ErrorScope): CallError {
  const why = reason === '' ? '' : ` (${reason})`;
  return {
    code: 'refused',
    message: `${provider} declines to answer this${why}. Say it differently, or choose another model.`,
  };
}

function malformedError({ reason }: MalformedAnswerError, { provider }: ErrorScope): CallError {
  const message = `${provider} wrote a call of a tool that cannot be read, twice (${reason}). Say it differently, or choose another model.`;
  return { code: 'protocol', message };
}

/** Returns the error of a response that does not come from a model. Asking again would bring the same page. */
export function pageError({ provider }: ErrorScope): CallError {
  const message = `A web page came in place of the answer of ${provider}. Check the address that is set for ${provider}, and whether the network wants a login first.`;
  return { code: 'protocol', message };
}

/** The beginning of a response that is not a stream of events. */
export interface StrangeAnswer {
  status: number;
  /** The media type that it claims. */
  type: string;
  /** Its first characters. */
  beginning: string;
}

/** Returns the error of an empty answer. Only one with a success status may be an accident. */
export function emptyError({ status }: StrangeAnswer, { provider }: ErrorScope): CallError {
  const message = `${provider} answered ${status} with an empty body. Try again later; if it stays so, check the address that is set for ${provider}.`;
  return { code: 'failed', message, ...(status === 200 ? {} : { final: true }) };
}

/** Returns the error of an answer without events, such as NDJSON. Asking again would bring the same. */
export function strangeError({ type, beginning }: StrangeAnswer, { provider, secrets }: ErrorScope): CallError {
  const said = withoutSecrets(shorten(beginning), secrets);
  const message = `${provider} answered with something else than a stream of events (${type === '' ? 'of no type' : type}: ${said}). Check the address that is set for ${provider}: another path of the server may be meant.`;
  return { code: 'protocol', message };
}

/** Returns the error of a redirect: asking again would be redirected again. */
function redirectError({ provider }: ErrorScope): CallError {
  const message = `${provider} redirects to another address, where nothing is sent: it would be told the key. Check the address that is set for ${provider}; a network with a login page redirects too.`;
  return { code: 'protocol', message };
}

function otherError(error: unknown, { provider, secrets }: ErrorScope): CallError {
  const message = property(error, 'message');
  const said = withoutSecrets(typeof message === 'string' ? message : String(error), secrets);
  return { code: 'protocol', message: `The answer of ${provider} could not be understood: ${said}` };
}

function statusError(status: number, error: unknown, scope: ErrorScope): CallError {
  const body = bodyOf(error);
  const said = withoutSecrets(body.message, scope.secrets);
  const code = codeOf(status, body);
  const told = said === '' ? `${status}` : `${status} ${said}`;
  const wait = retryAfter(error);
  return {
    code,
    message: sentence(code, status, told, scope),
    ...(wait === undefined ? {} : { retry_after_ms: wait }),
  };
}

interface ErrorBody {
  message: string;
  /** All fields that name the kind of error. */
  kinds: string;
}

const tooLong =
  /prompt is too long|context.?(length|window)|maximum context|too many (input )?tokens|input token count|exceeds? the (maximum|limit|available context)|reduce the length/i;

function codeOf(status: number, { message, kinds }: ErrorBody): CallErrorCode {
  // Google uses the quota error for limits per minute too, and then says when to retry.
  if (status === 429 && /RetryInfo/.test(kinds) && !/PerDay/.test(kinds)) return 'rate-limit';
  if (
    /insufficient_quota|billing|subscription_sharing_usage/.test(kinds) ||
    /credit balance|exceeded your current quota/i.test(message)
  ) {
    return 'quota';
  }
  if (/overloaded/.test(kinds)) return 'overloaded';
  if (/context_length/.test(kinds) || (status < 500 && status !== 429 && tooLong.test(message))) return 'too-long';
  // Google returns 400 for a wrong key.
  if (/API_KEY_INVALID|invalid_api_key|authentication_error/.test(kinds) || /API key not valid/i.test(message)) {
    return 'auth';
  }
  if (/model_not_found/.test(kinds)) return 'unknown-model';
  return byStatus[status] ?? (status >= 500 ? 'failed' : 'invalid-request');
}

const byStatus: Readonly<Record<number, CallErrorCode>> = {
  401: 'auth',
  402: 'quota',
  403: 'auth',
  404: 'unknown-model',
  408: 'timeout',
  413: 'too-long',
  429: 'rate-limit',
  503: 'overloaded',
  504: 'timeout',
  529: 'overloaded',
};

function sentence(code: CallErrorCode, status: number, told: string, { provider, model }: ErrorScope): string {
  switch (code) {
    case 'auth':
      return status === 403
        ? `${provider} does not permit this with the key that is set for it (${told}). Check what the key may be used for.`
        : `The key for ${provider} was refused (${told}). Check the key that is set for ${provider}.`;
    case 'quota':
      return `Nothing is left on the account at ${provider} (${told}). Add credit there, or choose another model.`;
    case 'rate-limit':
      return `${provider} limits how much may be asked at present (${told}). Try again in a while.`;
    case 'overloaded':
      return `${provider} is overloaded (${told}). Try again in a while, or choose another model.`;
    case 'too-long':
      return `The conversation is longer than ${model} can read (${told}). Shorten it, or choose a model with a larger context.`;
    case 'unknown-model':
      return `${provider} does not know ${model}, or not at this address (${told}). Check the name of the model and the address that is set for ${provider}.`;
    case 'timeout':
      return `${provider} took too long (${told}). Try again later.`;
    case 'failed':
      return `${provider} failed (${told}). Try again later.`;
    default:
      return `${provider} did not accept the request (${told}).`;
  }
}

/** Returns the error fields of a body: `{error: {message, type, code, status}}` or one of its relatives, or text. */
function bodyOf(error: unknown): ErrorBody {
  const text = property(error, 'responseBody');
  const parsed: unknown = typeof text === 'string' ? parseJson(text) : property(error, 'data');
  const outer: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  const inner = property(outer, 'error') ?? outer;
  const kinds = JSON.stringify([
    ...['type', 'code', 'status'].map((name) => property(inner, name) ?? property(error, name)),
    property(inner, 'details'),
  ]);
  const message = [property(inner, 'message'), inner, property(error, 'message')].find(
    (value) => typeof value === 'string' && value !== '',
  );
  return { message: shorten(typeof message === 'string' ? message : ''), kinds };
}

const longestMessage = 500;

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > longestMessage ? `${line.slice(0, longestMessage).toWellFormed()}…` : line;
}

/** Returns the wait that the provider asks for: in its headers, or in Google's RetryInfo. */
function retryAfter(error: unknown): number | undefined {
  const headers = property(error, 'responseHeaders');
  const exact = Number(property(headers, 'retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const text = property(error, 'responseBody');
  const info = typeof text === 'string' ? /"retryDelay":\s*"(\d+(?:\.\d+)?)s"/.exec(text)?.[1] : undefined;
  const seconds = Number(property(headers, 'retry-after') ?? info ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.round(seconds * 1000) : undefined;
}

function statusOf(error: unknown): number | undefined {
  const status = property(error, 'statusCode');
  if (typeof status === 'number' && status >= 300) return status;
  // A server of another kind gives the status only in the error event.
  const code = Number(property(error, 'code') ?? Number.NaN);
  return code >= 400 && code < 600 ? code : undefined;
}

/** Returns true for the error that the SDK for compatible servers makes of a stream that ends too soon. */
function isEarlyEnd(error: unknown): boolean {
  return /ended without a finish reason/.test(String(property(error, 'message')));
}

/** Returns true for the error that `fetch` makes of a redirect that it must not follow. */
function isRedirect(error: unknown): boolean {
  return causes(error).some((cause) => property(cause, 'message') === 'unexpected redirect');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
