import { z } from 'zod';
import { frameAddress } from './frame-address.ts';

/** A diagram as an SVG, or the reason why there is none. */
export type DrawnDiagram = { ok: true; svg: string } | { ok: false; trouble: string };

/** The messages of the frame's document: it is ready, or has finished a diagram. */
const answerSchema = z.union([
  z.object({ isReady: z.literal(true) }),
  z.object({ id: z.number(), svg: z.string().max(5_000_000) }),
  z.object({ id: z.number(), line: z.number().optional() }),
]);

/** The time a diagram has, in milliseconds; a source can make its layout run for hours. */
const longest = 20_000;

interface Work {
  readonly message: { id: number; source: string; isDark: boolean };
  readonly done: (drawn: DrawnDiagram) => void;
}

let frame: HTMLIFrameElement | undefined;
let isReady = false;
let lastId = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
/** The first one is being drawn. */
const waiting: Work[] = [];

/** Draws a diagram in a frame without an origin, one after the other. Nothing that is drawn there can reach the page or the network. */
export function drawDiagram(source: string, isDark: boolean): Promise<DrawnDiagram> {
  lastId += 1;
  const message = { id: lastId, source, isDark };
  return new Promise((done) => {
    waiting.push({ message, done });
    if (waiting.length === 1) sendNext();
  });
}

function sendNext(): void {
  const [next] = waiting;
  if (next === undefined) return;
  frame ??= openFrame();
  if (!isReady) return;
  frame.contentWindow?.postMessage(next.message, '*');
  timer = setTimeout(() => {
    closeFrame();
    finish(next.message.id, { ok: false, trouble: 'The diagram takes too long to draw. The source is shown.' });
  }, longest);
}

function finish(id: number, drawn: DrawnDiagram): void {
  if (waiting[0]?.message.id !== id) return;
  clearTimeout(timer);
  waiting.shift()?.done(drawn);
  sendNext();
}

function openFrame(): HTMLIFrameElement {
  const made = document.createElement('iframe');
  made.setAttribute('sandbox', 'allow-scripts');
  made.className = 'diagram-frame';
  made.tabIndex = -1;
  made.ariaHidden = 'true';
  made.title = 'Diagrams';
  made.src = frameAddress('diagrams');
  document.body.append(made);
  addEventListener('message', hear);
  return made;
}

function closeFrame(): void {
  removeEventListener('message', hear);
  frame?.remove();
  frame = undefined;
  isReady = false;
}

function hear({ source, data }: MessageEvent): void {
  if (frame === undefined || source !== frame.contentWindow) return;
  const { data: said } = answerSchema.safeParse(data);
  if (said === undefined) return;
  if ('isReady' in said) {
    isReady = true;
    sendNext();
  } else if ('svg' in said) finish(said.id, { ok: true, svg: said.svg });
  else
    finish(said.id, {
      ok: false,
      trouble: `${lineOf(said.line, waiting[0]?.message.source)} not valid Mermaid. The source is shown.`,
    });
}

/** Names the line. Mermaid reports what is missing at the end on a line behind the last one. */
function lineOf(line: number | undefined, source = ''): string {
  return line === undefined ? 'This is' : `Line ${Math.min(line, source.trimEnd().split('\n').length)} is`;
}
