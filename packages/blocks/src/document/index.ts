export { BlockDocument } from './block-document.ts';
export type { UndoUnit } from './undo-units.ts';
export type { BlockText, EditAuthor, LoggedEdit, SeedRun, UnitFlip } from './block-text.ts';
export { ClientText } from './client-text.ts';
export type { ClientSeed } from './client-text.ts';
export { maskUpdate } from './masked-update.ts';
