import { editView, insertView, writeView } from './file-change.ts';
import { textIn } from '../foreign.ts';
import { readView } from './read.ts';
import { numberedLines } from './read-text.ts';
import type { View } from '../view.ts';

/** The text editor tool of Anthropic's API: several tools in one, told apart by `command`. */
export const textEditorView: View = {
  ofCall: (parameters) => viewOf(parameters)?.ofCall(parameters) ?? [],
  ofResult: (parameters, outcome) => viewOf(parameters)?.ofResult(parameters, outcome) ?? [],
};

function viewOf(parameters: unknown): View | undefined {
  return commands.get(textIn(parameters, 'command') ?? '');
}

const commands: ReadonlyMap<string, View> = new Map([
  ['view', readView([numberedLines])],
  ['create', writeView],
  ['str_replace', editView],
  ['insert', insertView],
]);
