import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';

interface DrawingProps {
  svg: string;
  label: string;
  /** True if it was made for a light ground. */
  isOnPaper?: boolean;
  onTrouble: (trouble: string) => void;
}

/** An SVG as an image: in that place a browser runs nothing of it and loads nothing for it. Large on a click. */
export function Drawing({ svg, label, isOnPaper = false, onTrouble }: DrawingProps): ReactElement {
  const [address, setAddress] = useState<string>();
  const [isLarge, setLarge] = useState(false);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([named(svg)], { type: 'image/svg+xml' }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [svg]);
  return (
    <button
      type="button"
      className={`drawing${isLarge ? ' drawing-large scroll' : ''}${isOnPaper ? ' drawing-on-paper' : ''}`}
      aria-expanded={isLarge}
      aria-label={`${isLarge ? 'Shrink' : 'Enlarge'} the ${label.toLowerCase()}`}
      onClick={() => setLarge(!isLarge)}
    >
      {address !== undefined && (
        <img src={address} alt={label} onError={() => onTrouble('This is not a valid SVG. The source is shown.')} />
      )}
    </button>
  );
}

/** As a file of its own a drawing has to name its language, which is left out where it stands in a page. */
function named(svg: string): string {
  return /\sxmlns\s*=/u.test(svg) ? svg : svg.replace(/<svg\b/u, '<svg xmlns="http://www.w3.org/2000/svg"');
}
