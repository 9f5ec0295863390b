import type { CallError } from '@loom/kernel';
import { causes, property } from './error-causes.ts';
import { withoutSecrets } from '../wire/redaction.ts';

interface NetworkScope {
  provider: string;
  secrets: readonly string[];
}

/** Returns the error of a request that could not be made; `undefined` if the error is of another kind. */
export function networkError(error: unknown, scope: NetworkScope): CallError | undefined {
  const reasons = causes(error).flatMap((cause) =>
    [property(cause, 'code'), property(cause, 'message')].filter((text) => typeof text === 'string' && text !== ''),
  );
  const lasting = lastingReasons.find(([pattern]) => reasons.some((reason) => pattern.test(String(reason))));
  if (lasting !== undefined) {
    const [pattern, tell] = lasting;
    const reason = String(reasons.find((text) => pattern.test(String(text))));
    const message = withoutSecrets(tell(scope.provider, reason.trim()), scope.secrets);
    return { code: 'network', message, final: true };
  }
  return isPassing(error) ? passingError(error, scope) : undefined;
}

type Tell = (provider: string, reason: string) => string;

/** Lasting failures: trying again gives the same. The reasons are Node's. */
const lastingReasons: readonly (readonly [RegExp, Tell])[] = [
  [
    /^ENOTFOUND$/,
    (provider, reason) =>
      `The host of ${provider} is not known (${reason}). Check the address that is set for ${provider}, and the connection.`,
  ],
  [
    /^(ERR_INVALID_URL|unknown scheme)$/,
    (provider) =>
      `The address that is set for ${provider} is not one that a request can go to. It begins with https:// or http://.`,
  ],
  [
    /^bad port$/,
    (provider) =>
      `The port in the address of ${provider} is one of those that no web request may go to. Check the address that is set for ${provider}.`,
  ],
  [
    /^Response does not match the HTTP\/1.1 protocol|^HPE_/,
    (provider) =>
      `What answers at the address of ${provider} does not speak HTTP. Check the address that is set for ${provider}, and its port.`,
  ],
  [
    /^(ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/,
    (provider) =>
      `What answers at the address of ${provider} does not speak TLS. Check the port, and whether the address should begin with http://.`,
  ],
  [
    /^(CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(VERIFY|GET)_\w+|HOSTNAME_MISMATCH|INVALID_CA|ERR_TLS_CERT_ALTNAME_INVALID)$/,
    (provider, reason) =>
      `The certificate of ${provider} was refused (${reason}). Check the address. If the server or the proxy is your own, name the file of its authority in the environment variable NODE_EXTRA_CA_CERTS.`,
  ],
];

function passingError(error: unknown, { provider, secrets }: NetworkScope): CallError {
  const why = causes(error)
    .map((cause) => property(cause, 'code') ?? property(cause, 'message'))
    .findLast((text) => typeof text === 'string' && text !== '');
  const reason = typeof why === 'string' ? ` (${withoutSecrets(why, secrets)})` : '';
  return {
    code: 'network',
    message: `${provider} could not be reached${reason}. Check the connection and the address that is set for it.`,
  };
}

function isPassing(error: unknown): boolean {
  // The SDK's words for a request that `fetch` could not make; not every reason has a code.
  if (String(property(error, 'message')).startsWith('Cannot connect to API')) return true;
  return causes(error).some((cause) => {
    const code = property(cause, 'code');
    const isSystemCode = typeof code === 'string' && /^(E[A-Z]+|UND_ERR_\w+|ERR_(TLS|SSL|STREAM)\w*)$/.test(code);
    return isSystemCode || (cause instanceof TypeError && /fetch failed|terminated|network/i.test(cause.message));
  });
}
