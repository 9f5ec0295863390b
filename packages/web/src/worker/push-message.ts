/** The words that a notification shows for a push message, and the place in the page that it leads to. */
export interface PushNotice {
  readonly title: string;
  readonly path: string;
}

const titles: Readonly<Record<string, string>> = {
  'needs-you': 'A turn needs you',
  ended: 'A turn ended',
  test: 'Notifications work',
};

/** Reads a push message. It says what happened and where, and nothing that was said; one that cannot be read leads to what waits. */
export function readPush(text: string): PushNotice {
  const { what, path } = fieldsOf(text);
  const title = typeof what === 'string' && Object.hasOwn(titles, what) ? titles[what] : undefined;
  return {
    title: title ?? 'Loom has news for you',
    path: typeof path === 'string' && /^\/(?![/\\])/u.test(path) ? path : '/needs-you',
  };
}

function fieldsOf(text: string): { what?: unknown; path?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
