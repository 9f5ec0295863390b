import assert from 'node:assert/strict';
import { test } from 'node:test';
import { APICallError } from '@ai-sdk/provider';
import { callError, SilenceError } from './call-error.ts';

const scope = { provider: 'acme', model: 'm-1', secrets: ['sk-secret'] };

function apiError(statusCode: number, body: unknown, responseHeaders: Record<string, string> = {}): APICallError {
  const responseBody = typeof body === 'string' ? body : JSON.stringify(body);
  return new APICallError({ message: 'x', url: 'u', requestBodyValues: {}, statusCode, responseBody, responseHeaders });
}

const bodies: [status: number, body: unknown, code: string][] = [
  [401, { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } }, 'auth'],
  [403, { error: { message: 'no' } }, 'auth'],
  [
    400,
    {
      error: {
        code: 400,
        message: 'API key not valid. Please pass a valid API key.',
        status: 'INVALID_ARGUMENT',
        details: [{ reason: 'API_KEY_INVALID' }],
      },
    },
    'auth',
  ],
  [
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' },
    },
    'quota',
  ],
  [
    429,
    {
      error: {
        message: 'You exceeded your current quota, please check your plan',
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      },
    },
    'quota',
  ],
  [402, { error: { message: 'Insufficient credits' } }, 'quota'],
  [429, { error: { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' } }, 'rate-limit'],
  [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded'],
  [503, [{ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }], 'overloaded'],
  [
    400,
    { error: { message: 'prompt is too long: 210000 tokens > 200000 maximum', type: 'invalid_request_error' } },
    'too-long',
  ],
  [
    400,
    { error: { message: "This model's maximum context length is 8192 tokens.", code: 'context_length_exceeded' } },
    'too-long',
  ],
  [
    400,
    {
      error: {
        code: 400,
        message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      },
    },
    'too-long',
  ],
  [413, 'Request Entity Too Large', 'too-long'],
  [404, { type: 'error', error: { type: 'not_found_error', message: 'model: claude-x' } }, 'unknown-model'],
  [400, { error: { message: 'The requested model does not exist', code: 'model_not_found' } }, 'unknown-model'],
  [422, { detail: 'no' }, 'invalid-request'],
  [500, '<html>Bad gateway</html>', 'failed'],
  [504, '', 'timeout'],
];

for (const [status, body, code] of bodies) {
  test(`[AP7] ${status} ${JSON.stringify(body).slice(0, 60)} is ${code}`, () => {
    const error = callError(apiError(status, body), scope);
    assert.equal(error.code, code);
    assert.match(error.message, /acme|m-1/);
    assert.match(error.message, new RegExp(String(status)));
  });
}

test('[AP7] an error says what happened and what to do, and holds no key', () => {
  const { message } = callError(apiError(401, { error: { message: 'Incorrect API key provided: sk-secret.' } }), scope);
  assert.equal(
    message,
    'The key for acme was refused (401 Incorrect API key provided: [redacted].). Check the key that is set for acme.',
  );
});

test('[AP7] the time to wait is read from headers and from what Google says', () => {
  const waitOf = (headers: Record<string, string>, body: unknown = {}): number | undefined =>
    callError(apiError(429, body, headers), scope).retry_after_ms;
  assert.equal(waitOf({ 'retry-after': '7' }), 7000);
  assert.equal(waitOf({ 'retry-after-ms': '120', 'retry-after': '7' }), 120);
  assert.equal(waitOf({ 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }), undefined);
  assert.equal(waitOf({}, { error: { details: [{ '@type': 'RetryInfo', retryDelay: '34.5s' }] } }), 34_500);
});

test('[AP7] what goes wrong on the way is a network error, silence a timeout, the rest not understood', () => {
  const refused = new TypeError('fetch failed', {
    cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
  });
  assert.deepEqual(callError(refused, scope), {
    code: 'network',
    message: 'acme could not be reached (ECONNREFUSED). Check the connection and the address that is set for it.',
  });
  const blocked = new APICallError({
    message: 'Cannot connect to API: out of luck',
    url: 'u',
    requestBodyValues: {},
    cause: new Error('out of luck'),
  });
  assert.deepEqual(callError(blocked, scope), {
    code: 'network',
    message: 'acme could not be reached (out of luck). Check the connection and the address that is set for it.',
  });
  const silent = new Error('outer', { cause: new SilenceError(false, 240_000) });
  assert.deepEqual(callError(silent, scope), {
    code: 'timeout',
    message: 'acme was silent for 240 seconds. Try again later.',
  });
  assert.equal(callError(new Error('nonsense'), scope).code, 'protocol');
  assert.equal(
    callError({ type: 'overloaded_error', message: 'Overloaded', statusCode: 529 }, scope).code,
    'overloaded',
  );
});

test('[AP11] a redirect is refused with what to look at', () => {
  const redirected = new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
  assert.deepEqual(callError(redirected, scope), {
    code: 'protocol',
    message:
      'acme redirects to another address, where nothing is sent: it would be told the key. Check the address that is set for acme; a network with a login page redirects too.',
  });
});

function fetchError(message: string, code?: string): TypeError {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error(message), code === undefined ? {} : { code }),
  });
}

const lasting: [error: Error, says: RegExp][] = [
  [fetchError('bad port'), /^The port in the address of acme is one of those that no web request may go to\./],
  [fetchError('unknown scheme'), /^The address that is set for acme is not one that a request can go to\./],
  [fetchError('getaddrinfo ENOTFOUND a.invalid', 'ENOTFOUND'), /^The host of acme is not known \(ENOTFOUND\)\./],
  [fetchError('Response does not match the HTTP/1.1 protocol (Expected HTTP/)'), /does not speak HTTP\./],
  [fetchError('wrong version number', 'ERR_SSL_WRONG_VERSION_NUMBER'), /should begin with http:\/\/\.$/],
  [fetchError('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'), /NODE_EXTRA_CA_CERTS/],
  [fetchError('altnames', 'ERR_TLS_CERT_ALTNAME_INVALID'), /^The certificate of acme was refused/],
  [fetchError('expired', 'CERT_HAS_EXPIRED'), /^The certificate of acme was refused \(CERT_HAS_EXPIRED\)/],
];

for (const [error, says] of lasting) {
  test(`[AP18] ${String(error.cause)} does not pass by itself, and is final`, () => {
    const { code, message, final } = callError(error, scope);
    assert.deepEqual([code, final], ['network', true]);
    assert.match(message, says);
  });
}

test('[AP18] a connection that is refused or reset, or a name that cannot be looked up now, may pass', () => {
  for (const code of ['ECONNREFUSED', 'ECONNRESET', 'EAI_AGAIN', 'UND_ERR_SOCKET', 'ETIMEDOUT']) {
    assert.equal(callError(fetchError('x', code), scope).final, undefined, code);
  }
});
