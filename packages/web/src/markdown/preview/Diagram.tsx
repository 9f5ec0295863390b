import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useMedia } from '../../ui/use-media.ts';
import { drawDiagram } from './diagram-frame.ts';
import { Drawing } from './Drawing.tsx';

interface DiagramProps {
  source: string;
  onTrouble: (trouble: string) => void;
}

/** A Mermaid diagram, drawn apart from the page; what comes back is shown as an image. */
export function Diagram({ source, onTrouble }: DiagramProps): ReactElement {
  const prefersDark = useMedia('(prefers-color-scheme: dark)');
  const chosen = document.documentElement.dataset['theme'];
  const isDark = chosen === undefined ? prefersDark : chosen === 'dark';
  const [svg, setSvg] = useState<string>();
  useEffect(() => {
    let isHere = true;
    void (async () => {
      const drawn = await drawDiagram(source, isDark);
      if (!isHere) return;
      if (drawn.ok) setSvg(drawn.svg);
      else onTrouble(drawn.trouble);
    })();
    return () => {
      isHere = false;
    };
  }, [source, isDark, onTrouble]);
  if (svg !== undefined) return <Drawing svg={svg} label="Diagram" onTrouble={onTrouble} />;
  // As high as its source: what is below moves little when the picture comes.
  return <pre className="drawing-source scroll">{source}</pre>;
}
