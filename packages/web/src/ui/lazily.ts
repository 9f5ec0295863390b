/** A part of the page's program could not be loaded; the message is for the reader. */
export class NotLoadedError extends Error {
  /** True if the server does not respond. Otherwise neither browser nor server still has the file this page asks for: only a reloaded page helps. */
  readonly isAway: boolean;

  constructor(isAway: boolean, cause: unknown) {
    const what = 'This part of the page could not be loaded';
    super(isAway ? `${what}, since the server does not answer.` : `${what}. Reload the page to get it.`, { cause });
    this.name = 'NotLoadedError';
    this.isAway = isAway;
  }
}

/**
 * Loads a part of the page's program. Many browsers remember that a file could not be loaded, and do not try again before the page is
 * reloaded; so nothing is asked for while the server does not respond.
 */
export async function loadPart<Part>(load: () => Promise<Part>, isKept = false): Promise<Part> {
  // While the page itself is coming in, the server is there. The worker of an installed page keeps what every visit loads.
  if (document.readyState === 'complete' && !(isKept && hasWorker())) {
    await askServer().catch((error: unknown) => {
      throw new NotLoadedError(true, error);
    });
  }
  return load().catch(async (error: unknown) => {
    const isAway = await askServer().then(
      () => false,
      () => true,
    );
    throw new NotLoadedError(isAway, error);
  });
}

/** Wraps a loader for repeated use: once the part is loaded, it is there at once. `isKept`: the worker may have it without a server. */
export function lazily<Part>(load: () => Promise<Part>, isKept = false): () => Promise<Part> {
  let loading: Promise<Part> | undefined;
  return () => {
    loading ??= loadPart(load, isKept).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

function hasWorker(): boolean {
  // Browsers have none for pages without https.
  return 'serviceWorker' in navigator && navigator.serviceWorker.controller !== null;
}

/** Throws if the server does not respond; any response shows that it is there. */
async function askServer(): Promise<void> {
  await fetch('/', { method: 'HEAD', cache: 'no-store' });
}
