/** One line of a server's log. It holds no content of conversations and no keys: names, numbers and codes alone. */
export interface LogEntry {
  level: 'info' | 'warn' | 'error';
  /** The event, in a word or two. */
  event: string;
  [field: string]: string | number | boolean | undefined;
}

export type WriteLog = (entry: LogEntry) => void;

/**
 * Describes a failure for the log: its kind, its code and its place in the program. Its message is left out, because that may quote the
 * text being written.
 */
export function describeFailure(error: unknown): Omit<LogEntry, 'level' | 'event'> {
  if (!(error instanceof Error)) return { kind: typeof error };
  const code =
    'code' in error && typeof error.code === 'string' && /^[\w-]{1,60}$/u.test(error.code) ? { code: error.code } : {};
  const { message, stack = '' } = error;
  // The message stands before the frames, and may look like them.
  const behind = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : '';
  const frames = behind.split('\n').filter((line) => /^\s+at /u.test(line));
  const cause = error.cause instanceof Error ? { cause: error.cause.name } : {};
  return {
    kind: error.name,
    ...code,
    ...cause,
    at: frames
      .slice(0, mostFrames)
      .map((line) => line.trim())
      .join(' | '),
  };
}

const mostFrames = 8;
