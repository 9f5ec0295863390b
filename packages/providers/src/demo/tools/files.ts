import type { FileChangeBlock } from '@loom/blocks';
import { viewsOfToolCall } from '@loom/blocks/views';
import type { PermissionRule, PreparedCall, Tool, ToolInvocation, ToolOutcome } from '@loom/kernel';
import { objectWith, refuse, textFor, textParameter } from './parameters.ts';

/** Pretends to write a file, after the user agreed. */
export const writeFile: Tool = {
  name: 'write_file',
  description: 'Pretends to write a new file; nothing is written.',
  parameters: objectWith({ file_path: textFor('Path of the file'), content: textFor('The whole text of the file') }),
  prepare: async (invocation) => prepareChange(invocation),
  async run(invocation) {
    const path = textParameter(invocation, 'file_path');
    const content = textParameter(invocation, 'content');
    if (path === undefined || path === '' || content === undefined) {
      return refuse('write_file needs the parameters "file_path" and "content".');
    }
    const lines = content.split('\n').length - (content.endsWith('\n') ? 1 : 0);
    return showChange(invocation, `Wrote ${path}, ${lines} ${lines === 1 ? 'line' : 'lines'}. (Only pretended.)`);
  },
};

/** Pretends to replace a passage of a file, after the user agreed. */
export const editFile: Tool = {
  name: 'edit_file',
  description: 'Pretends to replace a passage of a file; nothing is changed.',
  parameters: objectWith({
    file_path: textFor('Path of the file'),
    old_string: textFor('The passage as it is'),
    new_string: textFor('The passage as it should be'),
  }),
  prepare: async (invocation) => prepareChange(invocation),
  async run(invocation) {
    const path = textParameter(invocation, 'file_path');
    const before = textParameter(invocation, 'old_string');
    const after = textParameter(invocation, 'new_string');
    if (path === undefined || path === '' || before === undefined || after === undefined) {
      return refuse('edit_file needs the parameters "file_path", "old_string" and "new_string".');
    }
    if (before === after) return refuse('Nothing to do: the passage would stay as it is.');
    return showChange(invocation, `Changed ${path}. (Only pretended.)`);
  },
};

/** Asks with the diff; "always" means this file. */
function prepareChange(invocation: ToolInvocation): PreparedCall {
  const path = textParameter(invocation, 'file_path');
  const rules: PermissionRule[] =
    path === undefined || path === '' ? [] : [{ tool: invocation.name, path, effect: 'allow' }];
  return { permission: 'ask', preview: [diffOf(invocation)], ...(rules.length === 0 ? {} : { rules }) };
}

/** Returns the text that the model sees, and beside it the diff for people. */
function showChange(invocation: ToolInvocation, text: string): ToolOutcome {
  return { content: [{ type: 'text', text }, diffOf(invocation)] };
}

function diffOf({ name, parameters }: ToolInvocation): FileChangeBlock {
  const views = viewsOfToolCall({ name, parameters });
  return { type: 'file-change', changes: views.flatMap((view) => (view.type === 'file-change' ? view.changes : [])) };
}
