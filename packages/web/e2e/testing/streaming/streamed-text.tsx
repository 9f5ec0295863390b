// The page of bench/web.ts: one streamed text, drawn by Loom or by streamdown. `show(who)` prepares, `feed(text)` draws the text as it is then.
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import type { Root } from 'react-dom/client';
import { Streamdown } from 'streamdown';
import { Markdown } from '../../../src/markdown/Markdown.tsx';

let root: Root | undefined;
let draw = (_text: string): void => {};

const container = document.getElementById('page');

Object.assign(window, {
  show(who: string) {
    root?.unmount();
    if (container === null) return;
    const mounted = createRoot(container);
    root = mounted;
    draw = (text) => {
      flushSync(() => {
        mounted.render(who === 'loom' ? <Markdown text={text} isGrowing /> : <Streamdown>{text}</Streamdown>);
      });
    };
  },
  feed(text: string) {
    draw(text);
  },
});
