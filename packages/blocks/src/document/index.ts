export { fromBase64, toBase64 } from './base64.ts';
export { BlockDocument } from './block-document.ts';
export type {
  BlockText,
  EditAuthor,
  LoggedEdit,
  SeedRun,
  TextCopy,
  TextEdit,
  UnitFlip,
  UpdateRefusal,
} from './block-text.ts';
export { ClientText } from './client-text.ts';
export type { ClientSeed } from './client-text.ts';
export type { IdRange } from './id-range.ts';
export { maskUpdate } from './masked-update.ts';
export type { UndoUnit } from './undo-units.ts';
