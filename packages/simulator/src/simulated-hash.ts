import { hash } from 'node:crypto';
import type { Hash } from '@loom/kernel';

/** The hash of all simulated processes. */
export const simulatedHash: Hash = { hex: (text) => hash('sha256', text) };
