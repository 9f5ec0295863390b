// The page of bench/editor.ts to compare with: CodeMirror as it comes, with an empty text and what every editor has.
import { standardKeymap } from '@codemirror/commands';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';

const parent = document.getElementById('page');
if (parent === null) throw new Error('the document has no place for the editor');
const view = new EditorView({
  parent,
  extensions: [
    lineNumbers(),
    highlightActiveLine(),
    drawSelection(),
    EditorView.lineWrapping,
    keymap.of(standardKeymap),
  ],
});
view.focus();
