import { ClientText } from '@loom/blocks/document';
import { editTexts } from '@loom/sync/editing';

/** Makes the texts of a replica ones that can be edited. */
export const createTexts = editTexts((client, seed) => new ClientText(client, seed));
