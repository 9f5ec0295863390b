/** Copies formulas as their source: what is selected on the page is drawn, and drawn signs mean nothing elsewhere. */
document.addEventListener('copy', (event) => {
  const selection = getSelection();
  if (selection === null || selection.isCollapsed || event.clipboardData === null) return;
  const text = copiedText(selection.getRangeAt(0));
  if (text === undefined) return;
  event.clipboardData.setData('text/plain', text);
  event.preventDefault();
});

/** The text of a range with the sources of its formulas; `undefined` if there are none in it. */
function copiedText(range: Range): string | undefined {
  const whole = range.cloneRange();
  const [first, last] = [formulaAround(range.startContainer), formulaAround(range.endContainer)];
  // Half a formula has no source.
  if (first !== undefined) whole.setStartBefore(first);
  if (last !== undefined) whole.setEndAfter(last);
  const copy = whole.cloneContents();
  const formulas = copy.querySelectorAll<HTMLElement>('.formula');
  if (formulas.length === 0) return undefined;
  for (const formula of formulas) formula.replaceWith(formula.dataset['source'] ?? '');
  return textOf(copy).trim();
}

function formulaAround(node: Node): Element | undefined {
  return (node instanceof Element ? node : node.parentElement)?.closest('.formula') ?? undefined;
}

/** The text of elements: an empty line between two paragraphs, a line for each item, row and line of code. */
function textOf(node: Node): string {
  let text = '';
  for (const child of node.childNodes) {
    const inside = child instanceof Text ? child.data : child.nodeName === 'BR' ? '\n' : textOf(child);
    if (/^(?:P|PRE|H\d|UL|OL|BLOCKQUOTE|TABLE|DIV|ARTICLE)$/u.test(child.nodeName))
      text = `${text.trimEnd()}\n\n${inside.trim()}\n\n`;
    else if (/^(?:LI|TR)$/u.test(child.nodeName)) text += `${inside.trim()}\n`;
    else if (/^(?:TD|TH)$/u.test(child.nodeName)) text += `${inside}\t`;
    else text += inside;
  }
  return text;
}
