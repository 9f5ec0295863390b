import { indentLess, indentMore, standardKeymap } from '@codemirror/commands';
import { Compartment, EditorSelection, EditorState, Prec } from '@codemirror/state';
import type { Extension } from '@codemirror/state';
import {
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import type { KeyBinding } from '@codemirror/view';
import { authorshipTint } from './authorship-tint.ts';
import { caretsOfOthers } from './carets-of-others.ts';
import type { CaretsOptions } from './carets-of-others.ts';
import { CursorSender } from './cursor-sender.ts';
import type { EditedText } from './edited-text.ts';
import { codeTheme, editorTheme } from './editor-theme.ts';
import { finding } from './finding.ts';
import { lineDirections } from './line-directions.ts';
import { markdownLanguage } from './markdown-language.ts';
import { TextBinding } from './text-binding.ts';

export interface EditorOptions {
  readonly text: EditedText;
  /** The people and models beside the reader. */
  readonly others: CaretsOptions;
  /** The accessible name of the text. */
  readonly label: string;
  /** Default: prose. In code Tab indents; in prose it leaves the editor. */
  readonly kind?: 'prose' | 'code';
  readonly hasLineNumbers?: boolean;
  /** True if the reader may not change the text, also once it could be opened. */
  readonly isReadOnly?: boolean;
  /** Keys of the place that the editor is in; they come before the editor's own. */
  readonly keys?: readonly KeyBinding[];
  readonly extensions?: Extension;
  /** Called when typing may have become possible or impossible, saved or unsaved. */
  readonly onState?: () => void;
}

export interface MountedEditor {
  readonly view: EditorView;
  /** Puts the caret into the text, at its end unless told otherwise. */
  readonly focus: (at?: 'start' | 'end' | 'caret') => void;
  readonly destroy: () => void;
}

/**
 * Shows an editor of a text inside an element. It stands in a shadow root: there its styles are constructed sheets, which
 * the policy of the document allows. Undo is that of the text, not the editor's: it takes back the reader's own edits alone.
 */
export function mountEditor(parent: HTMLElement, options: EditorOptions): MountedEditor {
  const {
    text,
    others,
    label,
    kind = 'prose',
    hasLineNumbers = false,
    isReadOnly = false,
    keys = [],
    onState,
  } = options;
  const host = document.createElement('div');
  host.className = 'text-editor';
  host.dataset['editor'] = kind;
  parent.append(host);
  const root = host.attachShadow({ mode: 'open' });
  const locked = new Compartment();
  const mayType = (): boolean => !isReadOnly && text.isOpen();
  const lock = (): Extension => EditorState.readOnly.of(!mayType());
  let isLocked = !mayType();
  const binding = new TextBinding(text, pageClock, () => {
    if (isLocked === mayType()) {
      isLocked = !isLocked;
      view.dispatch({ effects: locked.reconfigure(lock()) });
    }
    sender.look();
    onState?.();
  });
  if (!isReadOnly) text.open();
  const placeOfReader = (): { anchor: number; head: number } | undefined =>
    view.composing || binding.isBehind ? undefined : view.state.selection.main;
  const sender = new CursorSender(text, placeOfReader, pageClock);
  const turn = (flip: 'undo' | 'redo'): boolean => {
    if (mayType()) text[flip]();
    return true;
  };
  const view: EditorView = new EditorView({
    parent: root,
    root,
    dispatchTransactions: binding.dispatch,
    state: EditorState.create({
      doc: text.text(),
      extensions: [
        // Every other line break is a character like others: offsets are those of the text.
        EditorState.lineSeparator.of('\n'),
        locked.of(lock()),
        EditorState.changeFilter.of(() => mayType()),
        Prec.high(keymap.of([...keys])),
        keymap.of([
          { key: 'Mod-z', run: () => turn('undo'), preventDefault: true },
          { key: 'Mod-Shift-z', run: () => turn('redo'), preventDefault: true },
          { key: 'Mod-y', run: () => turn('redo'), preventDefault: true },
          ...(kind === 'code' ? [{ key: 'Tab', run: indentMore, shift: indentLess }] : []),
          { key: 'Enter', run: breakLine, shift: breakLine },
          ...standardKeymap,
        ]),
        EditorView.domEventHandlers({
          beforeinput(event) {
            const flip = { historyUndo: 'undo' as const, historyRedo: 'redo' as const }[event.inputType];
            if (flip === undefined) return false;
            event.preventDefault();
            return turn(flip);
          },
          compositionend() {
            // The editor reads what was composed first.
            setTimeout(() => binding.settle());
            return false;
          },
          blur() {
            setTimeout(() => binding.settle());
            return false;
          },
        }),
        EditorView.clipboardInputFilter.of((pasted, state) => withBreaksOf(state, pasted)),
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: kind === 'prose' ? 'true' : 'false' }),
        EditorView.lineWrapping,
        drawSelection(),
        dropCursor(),
        highlightActiveLine(),
        hasLineNumbers || kind === 'code' ? [lineNumbers(), highlightActiveLineGutter()] : [],
        kind === 'prose' ? [markdownLanguage, lineDirections] : codeTheme,
        editorTheme,
        finding,
        caretsOfOthers({ ...text, others: () => (binding.isBehind ? undefined : text.others()) }, others),
        authorshipTint(others),
        EditorView.updateListener.of((update) => {
          if (update.view.hasFocus && (update.docChanged || update.selectionSet || update.focusChanged)) sender.note();
        }),
        options.extensions ?? [],
      ],
    }),
  });
  binding.attach(view);
  return {
    view,
    focus(at = 'end') {
      view.focus();
      if (at === 'caret') return;
      const place = at === 'end' ? view.state.doc.length : 0;
      view.dispatch({ selection: EditorSelection.cursor(place), scrollIntoView: true });
    },
    destroy() {
      sender.close();
      binding.close();
      view.destroy();
      text.close();
      host.remove();
    },
  };
}

const pageClock = {
  now: () => performance.now(),
  after(milliseconds: number, callback: () => void) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Begins a new line, with the line ending of the lines around. */
function breakLine(view: EditorView): boolean {
  const { state } = view;
  if (state.readOnly) return true;
  const broken = state.replaceSelection(withBreaksOf(state, '\n'));
  view.dispatch(state.update(broken, { scrollIntoView: true, userEvent: 'input' }));
  return true;
}

/** Returns a text with the line ending that its neighborhood has. */
function withBreaksOf(state: EditorState, text: string): string {
  const { number } = state.doc.lineAt(state.selection.main.head);
  const isCarried = state.doc.line(number === state.doc.lines ? Math.max(1, number - 1) : number).text.endsWith('\r');
  return text.replaceAll(/\r\n?|\n/gu, isCarried ? '\r\n' : '\n');
}
