// pi: its sessions on disk.
export { createPiReader, recognizesPi } from './pi-reader.ts';
