/** An error in one sentence, and advice on what to do now. */
export interface ErrorWords extends KnownError {
  /** The original message, if it says more than the title. */
  readonly said: string;
}

interface KnownError {
  readonly title: string;
  readonly advice: string;
  /** True if trying again may help, or going on from the present text. */
  readonly canRetry: boolean;
  readonly canResume: boolean;
  /** True if going on means to spend beyond a limit. */
  readonly isLimit?: boolean;
}

const again = { canRetry: true, canResume: true };

const limited = {
  advice: 'Continue lets this turn spend as much again. Limits are in the settings.',
  canRetry: false,
  canResume: true,
  isLimit: true,
};

const known: Readonly<Record<string, KnownError>> = {
  'spending-limit': { title: 'The spending limit is reached', ...limited },
  'unknown-cost': { title: 'The cost is unknown', ...limited },
  auth: {
    title: 'The provider refused the key',
    advice: 'Conversations are readable; running them needs another key.',
    canRetry: true,
    canResume: false,
  },
  quota: {
    title: 'Nothing is left on the account',
    advice: 'Add credit at the provider, or choose another model.',
    canRetry: true,
    canResume: false,
  },
  'rate-limit': { title: 'Too many requests', advice: 'The provider asks to wait before the next one.', ...again },
  overloaded: {
    title: 'The provider is overloaded',
    advice: 'Try again in a moment, or choose another model.',
    ...again,
  },
  'too-long': {
    title: 'The conversation is longer than the model can read',
    advice: 'Start the context further down, or leave out tool results. Nothing was sent.',
    canRetry: true,
    canResume: false,
  },
  'no-room': {
    title: 'There is no room for an answer',
    advice: 'Start the context further down, or leave out tool results. Nothing was sent.',
    canRetry: true,
    canResume: false,
  },
  refused: { title: 'The model declined to answer', advice: 'Say it in other words, or ask another model.', ...again },
  'invalid-request': {
    title: 'The provider did not accept the request',
    advice: 'Look at the exact request in the inspector, or choose another model.',
    canRetry: true,
    canResume: false,
  },
  'unknown-model': {
    title: 'The provider does not know this model',
    advice: 'Choose another model.',
    canRetry: true,
    canResume: false,
  },
  network: { title: 'The provider could not be reached', advice: 'Check the connection, then try again.', ...again },
  timeout: { title: 'The provider stopped answering', advice: 'Everything written until then is kept.', ...again },
  protocol: {
    title: 'The answer could not be understood',
    advice: 'Everything understood until then is kept.',
    ...again,
  },
  stopped: { title: 'Stopped', advice: 'What was written is kept.', ...again },
  interrupted: { title: 'Interrupted', advice: 'Everything written until then is kept.', ...again },
};

/** Words an error for the reader, together with the provider's own message. */
export function errorWords(code: string, message: string): ErrorWords {
  const found = Object.hasOwn(known, code) ? known[code] : undefined;
  const words = found ?? { title: sentence(message), advice: 'Everything written until then is kept.', ...again };
  const said = isSaid(code, message, words.title) ? '' : message;
  // Of a network it is always said what to look at, too.
  return { ...words, said, advice: code === 'network' && said !== '' ? '' : words.advice };
}

/** Returns true if a message says no more than the title. For a stopped answer it only names the agent, which stands above. */
function isSaid(code: string, message: string, title: string): boolean {
  if (code === 'interrupted' || code === 'stopped') return true;
  return title.toLowerCase().startsWith(message.toLowerCase().replace(/\.$/u, ''));
}

/** Returns the wait that a provider asked for, if it did. */
export function waitWords(detail: unknown): string | undefined {
  const wait: unknown =
    typeof detail === 'object' && detail !== null && 'retry_after_ms' in detail ? detail.retry_after_ms : undefined;
  return typeof wait === 'number' ? `It asks to wait ${Math.ceil(wait / 1000)} s.` : undefined;
}

function sentence(message: string): string {
  const text = message.trim();
  return text === '' ? 'Something went wrong' : text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/u, '');
}
