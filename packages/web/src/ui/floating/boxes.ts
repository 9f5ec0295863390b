import { later } from '../later.tsx';

// The page is painted before the first of them can be opened.

export const Popover = later(async () => (await import('./Popover.tsx')).Popover, { takesKeys: true });
export const Menu = later(async () => (await import('./Menu.tsx')).Menu, { takesKeys: true });
