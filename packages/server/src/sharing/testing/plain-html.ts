import type { HtmlWriter } from '../shared-html.ts';

/** Writes all that a writer of files can see, as it is. */
export const plainHtml: HtmlWriter = async (source) => {
  return (async function* pieces() {
    yield JSON.stringify(source.root);
    const open = [...source.children(source.root.id)];
    for (let node = open.shift(); node !== undefined; node = open.shift()) {
      yield `\n${JSON.stringify(node)}`;
      for (const [blob = ''] of JSON.stringify(node.blocks).matchAll(/sha256:[\da-f]{64}/gu))
        yield `\n${new TextDecoder().decode(await source.blob(blob))}`;
      open.unshift(...source.children(node.id));
    }
  })();
};
