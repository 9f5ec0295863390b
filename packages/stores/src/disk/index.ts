export { encodeName } from './encoded-name.ts';
export { checksum } from './checksum.ts';
export {
  exchangeFile,
  makeDirectory,
  renameTemporary,
  writeDurably,
  writeFully,
  writeTemporary,
} from './durable-files.ts';
export { fileFailure, isDiskFull } from './file-failure.ts';
export { failedWith, isDenied } from './files-port.ts';
export type { FilesPort } from './files-port.ts';
export { machineFiles } from './machine-files.ts';
export { isPlainName, isRootName } from './root-name.ts';
export { fileOfTemporary, sweepTemporaries, temporaryName } from './temporary-name.ts';
