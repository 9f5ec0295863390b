export { LoomLinesReader, recognizesLoomLines } from './loom-lines-reader.ts';
