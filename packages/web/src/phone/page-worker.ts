import type { TurnNotice } from './turn-notices.ts';

/** The only script that the page may load by its address: the policy of the document names this rule. */
interface ScriptRules {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

const workerPath = '/sw.js';

/** Registers the worker that keeps the files of the page, and tells it which ones the page has loaded. */
export async function registerWorker(): Promise<void> {
  const { active } = (await workerOfPage()) ?? {};
  if (active === undefined) return;
  const keep = (list: PerformanceObserverEntryList): void =>
    active?.postMessage({ files: list.getEntries().map(({ name }) => name) }, {});
  new PerformanceObserver(keep).observe({ type: 'resource', buffered: true });
}

/** Returns the worker of the page once it is at work; `undefined` in a browser without one, or that allows none: it has the page as before. */
export function workerOfPage(): Promise<ServiceWorkerRegistration | undefined> {
  registered ??= register();
  return registered;
}

let registered: Promise<ServiceWorkerRegistration | undefined> | undefined;

async function register(): Promise<ServiceWorkerRegistration | undefined> {
  if (!('serviceWorker' in navigator)) return undefined;
  try {
    await navigator.serviceWorker.register(allowedAddress(workerPath));
    return await navigator.serviceWorker.ready;
  } catch (error) {
    // Such as in a private window.
    console.info('The page is not kept for offline use.', error);
    return undefined;
  }
}

/** Calls back with the path that a notification leads to, when it was clicked and this window is shown for it. */
export function followNotifications(open: (path: string) => void): () => void {
  if (!('serviceWorker' in navigator)) return () => {};
  const listen = ({ data }: MessageEvent): void => {
    const message: unknown = data;
    if (typeof message !== 'object' || message === null || !('type' in message) || message.type !== 'open') return;
    if ('path' in message && typeof message.path === 'string' && /^\/(?!\/)/u.test(message.path)) open(message.path);
  };
  navigator.serviceWorker.addEventListener('message', listen);
  return () => navigator.serviceWorker.removeEventListener('message', listen);
}

/** Shows a notification. Phones show only those of a worker, which also take their reader to the page when it was closed. */
export async function showNotice({ title, body, path }: TurnNotice): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration();
  const options = { body, tag: path, data: path, icon: '/icons/loom-192.png' };
  if (registration !== undefined && registration.active !== null) await registration.showNotification(title, options);
}

function allowedAddress(path: string): string {
  const rules: unknown = Reflect.get(globalThis, 'trustedTypes');
  if (!isRules(rules)) return path;
  policy ??= rules.createPolicy('loom-worker', {
    createScriptURL(url) {
      if (url !== workerPath) throw new TypeError(`${url} is no script of the page`);
      return url;
    },
  });
  return policy.createScriptURL(path);
}

let policy: ReturnType<ScriptRules['createPolicy']> | undefined;

function isRules(value: unknown): value is ScriptRules {
  return typeof value === 'object' && value !== null && 'createPolicy' in value;
}
