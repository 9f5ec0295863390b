import { createContext } from 'react';

/** True inside of a piece of a text that more text may still be added to. */
export const OpenContext = createContext(false);
