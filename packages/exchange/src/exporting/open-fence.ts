/**
 * Returns the fence that closes the code a text leaves open, as an answer that was cut off does: without it everything after the text would be read
 * as code. Empty if nothing is open.
 */
export function closingFence(text: string): string {
  let open: { indent: string; marks: string } | undefined;
  for (const [, indent = '', marks = '', rest = ''] of text.matchAll(fence)) {
    if (open === undefined) {
      // Backticks around words within a line are not a fence.
      if (marks.startsWith('~') || !rest.includes('`')) open = { indent, marks };
    } else if (marks.startsWith(open.marks) && rest.trim() === '') open = undefined;
  }
  return open === undefined ? '' : `\n${open.indent}${open.marks}`;
}

const fence = /^( {0,3})(`{3,}|~{3,})(.*)$/gmu;
