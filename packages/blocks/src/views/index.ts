export { viewsOfItem } from './item.ts';
export { imageOfBase64 } from './media.ts';
export { languageOfPath } from './files/language.ts';
export { toolsWithViews } from './table.ts';
export { viewsOfToolCall, viewsOfToolResult } from './tool-views.ts';
