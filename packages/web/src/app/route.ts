/** A place in the page; each has an address. */
export type Place =
  | { readonly name: 'new' }
  | {
      readonly name: 'conversation';
      readonly root: string;
      readonly node?: string;
      readonly block?: string;
      /** The answers to the node, side by side; or a new branch that begins behind it, without a node at the very beginning, and has no message yet. */
      readonly view?: 'answers' | 'new';
    }
  | { readonly name: 'tree'; readonly root: string }
  /** The changes of the turn that a message belongs to, or of the branch down to it, from a file on. */
  | {
      readonly name: 'review';
      readonly root: string;
      readonly node: string;
      readonly scope: 'turn' | 'branch';
      readonly file?: string;
    }
  /** A text of a conversation alone on the page. */
  | { readonly name: 'text'; readonly root: string; readonly block: string }
  | { readonly name: 'compare'; readonly root: string; readonly left: string; readonly right: string }
  | { readonly name: 'settings'; readonly section?: string }
  /** A search, with its filters as they are typed. */
  | { readonly name: 'search'; readonly query: string }
  /** The board, or the answers of several agents to one question. */
  | { readonly name: 'agents'; readonly question?: string }
  /** The calls that wait for the reader; `call` is the one that a notification leads to. */
  | { readonly name: 'needs-you'; readonly call?: string }
  /** The list of conversations, with its filters as the page of that list writes them. */
  | { readonly name: 'conversations'; readonly filters?: string }
  | { readonly name: 'bookmarks' | 'usage' | 'components' };

const plainPlaces = ['agents', 'bookmarks', 'usage', 'components'] as const;

/** Reads an address; an unknown one is the start page. Ids of nodes and blocks begin with that of their conversation. */
export function readAddress(path: string, hash: string): Place {
  const [, first = '', ...rest] = path.split('/').map(decode);
  const plain = plainPlaces.find((name) => name === first);
  const [root, node, view] = rest;
  if (plain === 'agents' && root) return { name: plain, question: root };
  if (plain !== undefined) return { name: plain };
  if (first === 'needs-you') {
    const call = decode(hash.replace(/^#/u, ''));
    return { name: 'needs-you', ...(call === '' ? {} : { call }) };
  }
  if (first === 'conversations') {
    const filters = hash.replace(/^#/u, '');
    return { name: 'conversations', ...(filters === '' ? {} : { filters }) };
  }
  if (first === 'settings')
    return { name: 'settings', ...(root === undefined || root === '' ? {} : { section: root }) };
  if (first === 'search') return { name: 'search', query: root ?? '' };
  if (first === 'compare' && root !== undefined && node !== undefined && view !== undefined) {
    return { name: 'compare', root, left: `${root}/${node}`, right: `${root}/${view}` };
  }
  if (first === 'review' && root !== undefined && node !== undefined) {
    const file = decode(hash.replace(/^#/u, ''));
    const scope = view === 'branch' ? 'branch' : 'turn';
    return { name: 'review', root, node: `${root}/${node}`, scope, ...(file === '' ? {} : { file }) };
  }
  if (first === 'text' && root !== undefined && root !== '')
    return { name: 'text', root, block: `${root}/${decode(hash.replace(/^#/u, ''))}` };
  if (first === 'tree' && root !== undefined && root !== '') return { name: 'tree', root };
  if (first !== 'r' || root === undefined || root === '') return { name: 'new' };
  // No message is called that.
  if (node === 'new' && view === undefined) return { name: 'conversation', root, view: 'new' };
  const block = decode(hash.replace(/^#/u, ''));
  return {
    name: 'conversation',
    root,
    ...(node === undefined || node === '' ? {} : { node: `${root}/${node}` }),
    ...(view === 'answers' || view === 'new' ? { view } : {}),
    ...(block === '' ? {} : { block: `${root}/${block}` }),
  };
}

export function addressOf(place: Place): string {
  if (place.name === 'new') return '/';
  if (place.name === 'settings') return place.section === undefined ? '/settings' : `/settings/${place.section}`;
  if (place.name === 'search') return `/search/${encodeURIComponent(place.query)}`;
  if (place.name === 'agents' && place.question) return `/agents/${encodeURIComponent(place.question)}`;
  if (place.name === 'conversations') {
    const { filters = '' } = place;
    return filters === '' ? '/conversations' : `/conversations#${filters}`;
  }
  if (place.name === 'tree') return `/tree/${encodeURIComponent(place.root)}`;
  if (place.name === 'needs-you' && place.call !== undefined) return `/needs-you#${encodeURIComponent(place.call)}`;
  if (!('root' in place)) return `/${place.name}`;
  const { root } = place;
  const inside = (id: string): string => id.slice(root.length + 1);
  if (place.name === 'text') return `/text/${encodeURIComponent(root)}#${encodeURIComponent(inside(place.block))}`;
  if (place.name === 'compare') {
    return `/compare/${[root, inside(place.left), inside(place.right)].map(encodeURIComponent).join('/')}`;
  }
  if (place.name === 'review') {
    const parts = [root, inside(place.node), ...(place.scope === 'branch' ? ['branch'] : [])];
    const file = place.file === undefined ? '' : `#${encodeURIComponent(place.file)}`;
    return `/review/${parts.map(encodeURIComponent).join('/')}${file}`;
  }
  const { node, block, view } = place;
  const parts = [root, ...(node === undefined ? [] : [inside(node)]), ...(view === undefined ? [] : [view])];
  const path = `/r/${parts.map(encodeURIComponent).join('/')}`;
  return block === undefined ? path : `${path}#${encodeURIComponent(inside(block))}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
