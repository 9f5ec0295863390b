interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The distance of a floating element from its anchor, and from the edges of the window, in pixels. */
const gap = 4;
const margin = 8;

/** Places a floating element beside its anchor: below it if there is room, else above; with the same left or right edge; inside the window. */
export function beside(anchor: Box, { width, height }: Size, window: Size, edge: 'left' | 'right' = 'left') {
  const below = anchor.bottom + gap;
  const above = anchor.top - gap - height;
  const hasRoomBelow = below + height <= window.height - margin;
  const top = hasRoomBelow || above < margin ? below : above;
  const left = edge === 'left' ? anchor.left : anchor.right - width;
  return {
    left: within(left, margin, window.width - margin - width),
    top: within(top, margin, window.height - margin - height),
  };
}

/** Clamps a value. If there is not enough room the beginning counts. */
function within(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}
