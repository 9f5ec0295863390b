import { EditorView } from '@codemirror/view';
import type { Extension } from '@codemirror/state';

/** The look of an editor, in the page's own colors: custom properties reach into a shadow root. */
export const editorTheme: Extension = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'transparent', fontSize: '15px', maxHeight: 'inherit' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'inherit', lineHeight: '24px', maxHeight: 'inherit', overflow: 'auto' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--accent)' },
  '.cm-line': { padding: '0 14px' },
  '&.cm-editor .cm-gutters': {
    border: '0',
    color: 'var(--text-3)',
    backgroundColor: 'transparent',
    fontFamily: 'var(--mono)',
    fontSize: '12px',
    fontFeatureSettings: '"calt" 0',
  },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '30px', padding: '0 2px 0 8px' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text-2)' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': { backgroundColor: 'var(--hover)' },
  '.cm-cursor, .cm-dropCursor': { borderLeft: '2px solid var(--accent)', marginLeft: '-1px' },
  '& .cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'var(--who-1)',
  },
  '.cm-placeholder': { color: 'var(--text-3)' },
});

/** The look of code. */
export const codeTheme: Extension = EditorView.theme({
  '&': { fontSize: '12.5px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px', fontFeatureSettings: '"calt" 0' },
});
