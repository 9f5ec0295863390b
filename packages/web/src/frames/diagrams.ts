// The document in which diagrams are drawn. It has no origin and no network, and its parent takes nothing from it but text.
import mermaid from 'mermaid';
import { z } from 'zod';

const requestSchema = z.object({ id: z.number(), source: z.string(), isDark: z.boolean() });

addEventListener('message', (event) => {
  if (event.source !== parent) return;
  const { data } = requestSchema.safeParse(event.data);
  if (data !== undefined) void answer(data);
});
parent.postMessage({ isReady: true }, '*');

async function answer({ id, source, isDark }: z.infer<typeof requestSchema>): Promise<void> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    // Labels of HTML are not shown in images.
    htmlLabels: false,
    maxTextSize: 50_000,
    maxEdges: 500,
    fontFamily: 'ui-sans-serif, system-ui, sans-serif',
    look: 'classic',
    theme: 'base',
    themeVariables: isDark ? dark : light,
  });
  try {
    const { svg } = await mermaid.render(`diagram-${id}`, source);
    parent.postMessage({ id, svg: asImage(svg) }, '*');
  } catch (error) {
    parent.postMessage({ id, line: lineIn(error) }, '*');
  } finally {
    document.body.replaceChildren();
  }
}

/** The drawing with a size of its own, as XML. */
function asImage(svg: string): string {
  const place = document.createElement('div');
  place.innerHTML = svg;
  const drawing = place.querySelector('svg');
  if (drawing === null) throw new Error('nothing was drawn');
  const { width, height } = drawing.viewBox.baseVal;
  drawing.setAttribute('width', String(Math.ceil(width)));
  drawing.setAttribute('height', String(Math.ceil(height)));
  drawing.removeAttribute('style');
  return new XMLSerializer().serializeToString(drawing);
}

function lineIn(error: unknown): number | undefined {
  const [, line] = /\bline:? (\d+)/iu.exec(String(error)) ?? [];
  return line === undefined ? undefined : Number(line);
}

const light = {
  darkMode: false,
  background: '#ffffff',
  fontSize: '13px',
  primaryColor: '#ffffff',
  primaryTextColor: '#1c1c1a',
  primaryBorderColor: '#84847e',
  secondaryColor: '#f5f5f3',
  tertiaryColor: '#f7f7f6',
  lineColor: '#84847e',
  textColor: '#1c1c1a',
  noteBkgColor: '#fdf4df',
  noteTextColor: '#1c1c1a',
  noteBorderColor: '#e2be6c',
};

const dark = {
  darkMode: true,
  background: '#18191b',
  fontSize: '13px',
  primaryColor: '#1f2023',
  primaryTextColor: '#e7e7e4',
  primaryBorderColor: '#74757a',
  secondaryColor: '#25262a',
  tertiaryColor: '#212225',
  lineColor: '#74757a',
  textColor: '#e7e7e4',
  noteBkgColor: '#2a2415',
  noteTextColor: '#e7e7e4',
  noteBorderColor: '#6b5726',
};
