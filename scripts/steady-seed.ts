// Loaded before every test file: properties are tried with the same values in each run, so that a failure speaks of what was changed.
import { configureGlobal } from 'fast-check';
import { seedOfRun } from '@loom/blocks/testing/corpus';

configureGlobal({ seed: seedOfRun() });
