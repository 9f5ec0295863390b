// Gemini CLI: its sessions on disk, as logs and as documents.
export {
  createGeminiReader,
  readGeminiDocument,
  recognizesGeminiDocument,
  recognizesGeminiLog,
} from './gemini-reader.ts';
