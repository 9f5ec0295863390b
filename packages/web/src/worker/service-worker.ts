import { readPush } from './push-message.ts';
import { ShellCache } from './shell-cache.ts';
import type { Shell } from './shell-cache.ts';

/** Set by the build of the page. */
declare const loomShell: Shell;

/** The windows of the page, as a service worker has them. */
declare const clients: {
  matchAll(options: { type: 'window'; includeUncontrolled?: boolean }): Promise<readonly WindowOfPage[]>;
  openWindow(url: string): Promise<unknown>;
};

/** The registration of this worker. */
declare const registration: Pick<ServiceWorkerRegistration, 'getNotifications' | 'showNotification'>;

interface WindowOfPage {
  readonly visibilityState: string;
  focus(): Promise<unknown>;
  postMessage(message: unknown, options: object): void;
}

const shell = new ShellCache(loomShell, { caches, fetch: (request) => fetch(request), origin: location.origin });

// Pages of an earlier build keep its worker until they are closed, so that the files they have yet to load are still there.
addEventListener('install', (event) => keepAlive(event, shell.fill()));
addEventListener('activate', (event) => keepAlive(event, shell.clean()));
addEventListener('fetch', (event) => {
  if (!isFetch(event)) return;
  const response = shell.respond(event.request);
  if (response !== undefined) event.respondWith(response);
});
addEventListener('message', (event) => {
  const data: unknown = event.data;
  if (typeof data !== 'object' || data === null || !('files' in data) || !Array.isArray(data.files)) return;
  const files: readonly unknown[] = data.files;
  keepAlive(event, shell.keep(files.filter((file) => typeof file === 'string')));
});
addEventListener('push', (event) => {
  keepAlive(event, showPush(isPush(event) ? (event.data?.text() ?? '') : ''));
});
addEventListener('notificationclick', (event) => {
  if (!isNotificationClick(event)) return;
  event.notification.close();
  const data: unknown = event.notification.data;
  keepAlive(event, open(typeof data === 'string' && /^\/(?!\/)/u.test(data) ? data : '/needs-you'));
});

/** Shows a push message, unless its reader is looking at the page. A notification of the page about the same says more, and stays. */
async function showPush(text: string): Promise<void> {
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (windows.some(({ visibilityState }) => visibilityState === 'visible')) return;
  const { title, path } = readPush(text);
  const [shown] = await registration.getNotifications({ tag: path });
  const about = shown === undefined ? {} : { body: shown.body };
  await registration.showNotification(shown?.title ?? title, {
    ...about,
    tag: path,
    data: path,
    icon: '/icons/loom-192.png',
  });
}

/** Shows a place in a window that is open, else in a new one. */
async function open(path: string): Promise<void> {
  const [first] = await clients.matchAll({ type: 'window' });
  if (first === undefined) {
    await clients.openWindow(path);
    return;
  }
  await first.focus();
  first.postMessage({ type: 'open', path }, {});
}

function keepAlive(event: Event, work: Promise<unknown>): void {
  if (isLasting(event)) event.waitUntil(work);
}

function isLasting(event: Event): event is Event & { waitUntil(work: Promise<unknown>): void } {
  return 'waitUntil' in event;
}

function isFetch(event: Event): event is Event & { request: Request; respondWith(response: Promise<Response>): void } {
  return 'request' in event && 'respondWith' in event;
}

function isPush(event: Event): event is Event & { data: { text(): string } | null } {
  return 'data' in event;
}

function isNotificationClick(event: Event): event is Event & { notification: Notification } {
  return 'notification' in event;
}
