// What the page asks of its server. The token is kept for this tab alone; a new tab asks one that is open.

const key = 'loom-token';
const tabs = new BroadcastChannel('loom');
const question = 'who is signed in?';
// A channel reaches pages of this origin alone, so there is no target to name.
const broadcast = tabs.postMessage.bind(tabs);

tabs.addEventListener('message', ({ data }) => {
  const token = sessionStorage.getItem(key);
  if (data === question && token !== null) broadcast({ token });
});

/** Signs in by the code in the address, by the token of this tab, or by that of another one. */
export async function signIn() {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  // Gone before anything else can see it.
  history.replaceState(null, '', location.pathname);
  if (code !== null) {
    sessionStorage.setItem(key, textIn(await post('/auth/sign-in', { code }), 'token'));
  }
  if (sessionStorage.getItem(key) === null) await askOtherTabs();
  return sessionStorage.getItem(key) !== null;
}

/** @returns {Promise<void>} */
function askOtherTabs() {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 300);
    tabs.addEventListener('message', (event) => {
      const token = textIn(event.data, 'token');
      if (token === '') return;
      sessionStorage.setItem(key, token);
      clearTimeout(timer);
      resolve();
    });
    broadcast(question);
  });
}

/**
 * @template {string} Name
 * @typedef {import('@loom/kernel').ParamsOf<Name>} ParamsOf
 */
/**
 * @template {string} Name
 * @typedef {import('@loom/kernel').ResultOf<Name>} ResultOf
 */

/**
 * Asks for an operation; throws with the server's words if it is refused.
 *
 * @template {string} Name
 * @param {Name} operation
 * @param {ParamsOf<Name>} params
 * @returns {Promise<ResultOf<Name>>}
 */
export async function call(operation, params) {
  const value = await post(`/api/v1/${operation}`, params);
  if (isResult(operation, value)) return value;
  throw new Error('The answer is empty. Reload the page.');
}

/**
 * The server answers what its table says.
 *
 * @template {string} Name
 * @param {Name} _operation
 * @param {unknown} value
 * @returns {value is ResultOf<Name>}
 */
function isResult(_operation, value) {
  return value !== undefined;
}

/**
 * @param {string} path
 * @param {unknown} value
 * @returns {Promise<unknown>}
 */
async function post(path, value) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { ...authorization(), 'content-type': 'application/json' },
    body: JSON.stringify(value),
  });
  /** @type {unknown} */
  const answer = await response.json();
  if (response.status === 401) sessionStorage.removeItem(key);
  if (!response.ok) throw new Error(textIn(answer, 'message'));
  return valueIn(answer, 'value');
}

/**
 * @param {unknown} object
 * @param {string} name
 * @returns {unknown}
 */
function valueIn(object, name) {
  return typeof object === 'object' && object !== null
    ? Object.entries(object).find(([other]) => other === name)?.[1]
    : undefined;
}

/**
 * @param {unknown} object
 * @param {string} name
 */
function textIn(object, name) {
  const value = valueIn(object, name);
  return typeof value === 'string' ? value : '';
}

/** A WebSocket to the feed. */
export async function openSocket() {
  const ticket = textIn(await post('/auth/ticket', {}), 'ticket');
  return new WebSocket(`${location.origin.replace('http', 'ws')}/api/v1/feed?ticket=${ticket}`);
}

/**
 * The bytes of a blob, as an address that only this page can use.
 *
 * @param {string} id
 * @param {string} type
 */
export async function blobAddress(id, type) {
  const response = await fetch(`/api/v1/blobs/${encodeURIComponent(id)}`, { headers: authorization() });
  return URL.createObjectURL(new Blob([await response.arrayBuffer()], { type }));
}

/** @returns {Record<string, string>} */
function authorization() {
  const token = sessionStorage.getItem(key);
  return token === null ? {} : { authorization: `Bearer ${token}` };
}
