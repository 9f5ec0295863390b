// The document that shows a page as a model wrote it. It has no origin and no network itself, and shows the page in a frame inside that runs
// no scripts: with scripts a page could still open connections that no policy forbids (WebRTC, and those that browsers open ahead of a
// navigation that is then refused).

addEventListener('message', (event) => {
  const html: unknown = event.data;
  if (event.source !== parent || typeof html !== 'string') return;
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', '');
  frame.title = 'Page';
  frame.srcdoc = withoutWaysOut(html);
  document.body.replaceChildren(frame);
});

/** The page without what would lead elsewhere on a click. What it loads is refused by the policy; its scripts do not run in any case. */
function withoutWaysOut(html: string): string {
  const page = new DOMParser().parseFromString(html, 'text/html');
  for (const element of page.querySelectorAll(leading)) element.remove();
  for (const element of page.querySelectorAll('*')) {
    for (const name of element.getAttributeNames()) {
      const value = element.getAttribute(name) ?? '';
      const isWay = /^(?:(?:xlink:)?href|action|formaction|ping|target|srcdoc)$/iu.test(name) && !value.startsWith('#');
      if (isWay || /^on/iu.test(name)) element.removeAttribute(name);
    }
  }
  return `<!doctype html>${page.documentElement.outerHTML}`;
}

const leading =
  'script, noscript, template, base, meta, link, iframe, frame, frameset, object, embed, portal, fencedframe, applet, animate, set';
