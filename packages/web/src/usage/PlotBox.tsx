import { useLayoutEffect, useRef } from 'react';
import type { ReactElement, ReactNode } from 'react';

/** A box that scrolls a plot wider than the screen; its newest days are in sight at first. */
export function PlotBox({ children }: { children: ReactNode }): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    box.current?.scrollTo({ left: box.current.scrollWidth });
  }, []);
  return (
    <div ref={box} className="plot-box scroll" tabIndex={0} role="group" aria-label="Plot">
      {children}
    </div>
  );
}
