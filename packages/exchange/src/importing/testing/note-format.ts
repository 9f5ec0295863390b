import { Tally } from '../../foreign/foreign.ts';
import type { ForeignItem, LineReader } from '../../foreign/foreign.ts';
import { readJsonLine } from '../../foreign/json-line.ts';
import type { ForeignFormat } from '../format.ts';

/** A form of history for tests: lines `{"id": "…", "text": "…"}`, each a message below the one before; the first names the conversation. */
export const noteFormat: ForeignFormat = {
  source: 'notes',
  name: 'Notes',
  form: 'lines',
  recognizes: (_path, beginning) => beginning.startsWith('{"notes":'),
  open: () => createNoteReader(),
};

function createNoteReader(): LineReader {
  const tally = new Tally();
  let items: ForeignItem[] = [];
  let conversation = '';
  let parent: string | undefined;
  return {
    tally,
    push(line) {
      const read = readJsonLine(line);
      const value = read.kind === 'objects' ? read.objects[0] : undefined;
      if (value === undefined) return tally.reported('a line is not JSON');
      tally.used();
      if (typeof value['notes'] === 'string') {
        conversation = value['notes'];
        items.push({ type: 'conversation', conversation: { id: conversation } });
        return;
      }
      const id = String(value['id']);
      items.push({
        type: 'node',
        node: {
          conversation,
          id,
          ...(parent === undefined ? {} : { parent }),
          role: 'user',
          blocks: [{ key: id, block: { type: 'text', text: String(value['text']) } }],
          source: { type: 'user' },
        },
      });
      parent = id;
    },
    take() {
      const taken = items;
      items = [];
      return taken;
    },
    end: () => {},
  };
}
