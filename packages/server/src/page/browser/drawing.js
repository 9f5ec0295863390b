// Draws a branch of a conversation. Every text goes into the document as a text, so nothing that a model writes is markup.
import { blobAddress } from './api.js';

/** @typedef {import('./conversation.js').Block} Block */
/** @typedef {import('./conversation.js').Node} Node */
/** @typedef {import('./conversation.js').Conversation} Conversation */
/** @typedef {import('@loom/kernel').ParamsOf<'turn.decide'>} Decision */

/**
 * @param {HTMLOListElement} list
 * @param {Conversation | undefined} conversation
 * @param {(decision: Decision) => void} decide
 */
export function drawPath(list, conversation, decide) {
  if (conversation === undefined) return list.replaceChildren();
  const { path } = conversation;
  list.replaceChildren(...path.map((node) => drawNode(node, { list, conversation, decide, path })));
}

/**
 * @param {Node} node
 * @param {{ list: HTMLOListElement, conversation: Conversation, decide: (decision: Decision) => void, path: Node[] }} scene
 */
function drawNode(node, { list, conversation, decide, path }) {
  const item = make('li', node.role, '');
  const siblings = conversation.siblings(node);
  const index = siblings.indexOf(node);
  const head = make(
    'div',
    'role',
    siblings.length > 1 ? `${speakers[node.role]} · ${index + 1} of ${siblings.length} ` : speakers[node.role],
  );
  const step = (/** @type {string} */ label, /** @type {string} */ meaning, /** @type {Node | undefined} */ other) => {
    if (other === undefined) return;
    const button = make('button', '', label);
    button.setAttribute('aria-label', meaning);
    button.addEventListener('click', () => {
      conversation.chosen = other.id;
      drawPath(list, conversation, decide);
    });
    head.append(button);
  };
  step('‹', 'The branch before', siblings[index - 1]);
  step('›', 'The next branch', siblings[index + 1]);
  item.append(head, ...node.blocks.map(drawBlock));
  if (node.ask !== undefined) item.append(drawQuestion(node, node.ask.kind, path, decide));
  return item;
}

const speakers = { user: 'You', assistant: 'Model', tool: 'Tool' };

/** @param {Block} block */
function drawBlock(block) {
  const drawn = drawContent(block);
  if (block.error !== undefined) {
    const problem = make('p', 'problem', `${block.error.code}: ${block.error.message}`);
    const both = document.createElement('div');
    both.append(drawn, problem);
    return both;
  }
  return drawn;
}

/** @param {Block} block */
function drawContent(block) {
  switch (block.type) {
    case 'text':
      return make('p', 'text', block.text);
    case 'thinking':
      return fold('Thinking', block.text);
    case 'tool-use':
      return fold(`Calls ${block.name}`, block.arguments ?? JSON.stringify(block.parameters, undefined, 2));
    case 'code':
      return make('pre', '', block.content);
    case 'command':
      return make('pre', '', [`$ ${block.command}`, shown(block.stdout), shown(block.stderr)].join('\n'));
    case 'error':
      return make('p', 'problem', `${block.code}: ${block.message}`);
    case 'image':
      return drawImage(block);
    default:
      return fold(block.type, JSON.stringify(block, undefined, 2));
  }
}

/** Only bytes that this server keeps, of kinds that are pictures and nothing else. Nothing is loaded from elsewhere. */
const pictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** @param {Extract<Block, { type: 'image' }>} block */
function drawImage(block) {
  const { media_type: type, filename = 'image' } = block;
  const blob = 'blob' in block ? block.blob : undefined;
  if (typeof blob !== 'string' || !pictures.has(type)) return make('p', 'text', `${filename} (${type})`);
  const image = document.createElement('img');
  image.alt = filename;
  void blobAddress(blob, type).then((address) => (image.src = address));
  return image;
}

/**
 * A call that waits for a person.
 *
 * @param {Node} node
 * @param {string} kind
 * @param {Node[]} path
 * @param {(decision: Decision) => void} decide
 */
function drawQuestion(node, kind, path, decide) {
  const box = document.createElement('p');
  const uses = path.flatMap(({ blocks }) => blocks).filter((block) => block.type === 'tool-use');
  const use = uses.findLast(({ id }) => id === node.tool_call_id);
  const exact = use?.arguments ?? JSON.stringify(use?.parameters ?? {});
  const input = document.createElement('input');
  input.setAttribute('aria-label', 'Your answer');
  const offer = (/** @type {string} */ label, /** @type {Decision['decision']} */ decision) => {
    const button = make('button', '', label);
    const text = () => (decision === 'answered' ? { text: input.value } : {});
    button.addEventListener('click', () => decide({ node: node.id, decision, arguments: exact, ...text() }));
    box.append(button);
  };
  if (kind === 'question') {
    box.append(input);
    offer('Answer', 'answered');
  } else {
    offer('Approve', 'approved');
    offer('Deny', 'denied');
  }
  return box;
}

/**
 * What a command has written; a long output is kept as a blob.
 *
 * @param {unknown} output
 */
function shown(output) {
  return typeof output === 'string' ? output : output === undefined ? '' : JSON.stringify(output);
}

/**
 * @param {string} summary
 * @param {string | undefined} text
 */
function fold(summary, text) {
  const details = document.createElement('details');
  details.append(make('summary', '', summary), make('pre', '', text));
  return details;
}

/**
 * @param {string} name
 * @param {string} kind
 * @param {string | undefined} text
 */
function make(name, kind, text) {
  const made = document.createElement(name);
  made.className = kind;
  made.textContent = text ?? '';
  return made;
}
