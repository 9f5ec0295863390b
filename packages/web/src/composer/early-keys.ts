// Loaded before the rest of the page: who opens it and types at once does not wait until the field is drawn.

let typed = '';

document.addEventListener('keydown', listen);

/** Ends the listening, since the page listens from now on. Returns the text typed until then. */
export function takeEarlyKeys(): string {
  document.removeEventListener('keydown', listen);
  const text = typed;
  typed = '';
  return text;
}

function listen(event: KeyboardEvent): void {
  const { key, ctrlKey, altKey, metaKey, isComposing } = event;
  if (ctrlKey || altKey || metaKey || isComposing) return;
  if (key === 'Backspace') typed = typed.replace(/.$/su, '');
  else if (/^.$/su.test(key)) typed += key;
  else return;
  // Browsers scroll with a space, and some search with a slash.
  event.preventDefault();
}
