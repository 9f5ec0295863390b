export { createCatalogue, loadCatalogue } from './catalogue.ts';
export type { CatalogueOptions, ModelCatalogue } from './catalogue.ts';
export type { ModelFacts, ModelOverride, ModelPrice, TokenCounts } from './model-facts.ts';
