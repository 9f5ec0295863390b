import { RangeSetBuilder } from '@codemirror/state';
import type { Extension } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin } from '@codemirror/view';
import type { DecorationSet, ViewUpdate } from '@codemirror/view';

const auto = Decoration.line({ attributes: { dir: 'auto' } });

function visibleLines(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  let last = -1;
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to;) {
      const line = view.state.doc.lineAt(at);
      if (line.from > last) builder.add(line.from, line.from, auto);
      last = line.from;
      at = line.to + 1;
    }
  }
  return builder.finish();
}

const directions = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = visibleLines(view);
    }

    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged) this.decorations = visibleLines(update.view);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

/** Lets each line run in the direction of its own words. */
export const lineDirections: Extension = [directions, EditorView.perLineTextDirection.of(true)];
