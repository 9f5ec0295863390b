// The built-in page: lists conversations, shows one and lets a person talk in it. It has no dependencies and no build. Whatever models
// have written is put into the document as text, never as markup.
import { signIn, call, openSocket } from './api.js';
import { Conversation } from './conversation.js';
import { drawPath } from './drawing.js';
import { ConversationList } from './list.js';

const elements = {
  roots: element('roots', HTMLUListElement),
  more: element('more', HTMLButtonElement),
  path: element('path', HTMLOListElement),
  notice: element('notice', HTMLParagraphElement),
  text: element('text', HTMLTextAreaElement),
  model: element('model', HTMLInputElement),
  stop: element('stop', HTMLButtonElement),
};

/** @type {Conversation | undefined} */
let open;
/** @type {ConversationList | undefined} */
let list;

if (await signIn()) {
  element('new', HTMLButtonElement).addEventListener('click', () => show(undefined));
  element('say', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    void attempt(send);
  });
  elements.text.addEventListener('keydown', (event) => {
    // While a word is being composed Enter belongs to the input method.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void attempt(send);
  });
  elements.stop.addEventListener('click', () => void attempt(stop));
  elements.more.addEventListener('click', () => void attempt(showMore));
  list = new ConversationList(openSocket, drawList);
} else {
  tell('This page is not signed in. Run loom open in a terminal, and open the link that it prints.');
}

/**
 * @param {() => Promise<void>} work
 */
async function attempt(work) {
  try {
    tell('');
    await work();
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error));
  }
}

async function showMore() {
  const after = list?.next;
  if (after !== undefined) list?.add(await call('root.list', { limit: 50, after }));
}

function drawList() {
  const items = (list?.items ?? []).map(({ id, title, opening, running, needs }) => {
    const button = document.createElement('button');
    button.type = 'button';
    const state = needs.length > 0 ? '? ' : running.length > 0 ? '… ' : '';
    button.textContent = `${state}${title ?? (opening || 'empty')}`;
    button.dataset['root'] = id;
    button.addEventListener('click', () => show(id));
    const item = document.createElement('li');
    item.append(button);
    return item;
  });
  elements.roots.replaceChildren(...items);
  elements.more.hidden = list?.next === undefined;
  markCurrent();
}

function markCurrent() {
  for (const button of elements.roots.querySelectorAll('button')) {
    button.setAttribute('aria-current', String(button.dataset['root'] === open?.root));
  }
}

/** @param {string | undefined} root */
function show(root) {
  open?.close();
  open = root === undefined ? undefined : new Conversation(root, openSocket, draw, tell);
  draw();
  markCurrent();
  elements.text.focus();
}

let isDrawing = false;

/** Many changes come within a frame of the screen; it is drawn once. */
function draw() {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    const isAtEnd = elements.path.scrollTop + elements.path.clientHeight > elements.path.scrollHeight - 40;
    drawPath(elements.path, open, decide);
    elements.stop.hidden = open?.turns.length !== 1;
    if (isAtEnd) elements.path.scrollTop = elements.path.scrollHeight;
  });
}

async function send() {
  const content = elements.text.value;
  if (content.trim() === '') return;
  const [provider = '', ...names] = elements.model.value.split('/');
  if (open === undefined) show((await call('root.create', {})).root);
  const conversation = open;
  if (conversation === undefined) return;
  const { root, turns } = conversation;
  const [turn] = turns;
  if (turn === undefined) {
    const parent = conversation.leaf ?? root;
    const { nodes } = await call('node.append', { parent, messages: [{ role: 'user', content }] });
    elements.text.value = '';
    await call('turn.start', { node: nodes.at(-1) ?? root, provider, model: names.join('/') });
  } else {
    await call('turn.steer', { root, turn, content });
    elements.text.value = '';
  }
}

async function stop() {
  const [turn] = open?.turns ?? [];
  if (open !== undefined && turn !== undefined) await call('turn.abort', { root: open.root, turn });
}

/** @param {import('./drawing.js').Decision} decision */
function decide(decision) {
  void attempt(async () => void (await call('turn.decide', decision)));
}

/** @param {string} text */
function tell(text) {
  elements.notice.textContent = text;
}

/**
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
function element(id, kind) {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new TypeError(`the page has no ${id}`);
}
