import { createContext } from 'react';
import type { Source } from '@loom/blocks';

/** The sources that `[1]` and the like in a text stand for. */
export const SourcesContext = createContext<readonly Source[] | undefined>(undefined);
