/** The address of a document that shows what must not touch the page. Its build is named in the document of the page. */
export function frameAddress(name: 'diagrams' | 'preview'): string {
  return `/frames/${name}-${document.documentElement.dataset['frames'] ?? ''}.html`;
}
