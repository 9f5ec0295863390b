import { laterValue } from '../../ui/later.tsx';

/** Reads the views of a call out of the words of its tool. There are many tools, and their readers are large. */
export const lateViews = laterValue(async () => (await import('./tool-views.ts')).viewsOf);
