import { createContext } from 'react';
import type { Source } from '@loom/blocks';

/** What `[1]` in a text stands for. */
export const SourcesContext = createContext<readonly Source[] | undefined>(undefined);
