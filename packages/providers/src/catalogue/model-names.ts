/**
 * Returns the names under which a model is looked up, the most exact first. Programs store the names of their accounts: with a mark for a long window
 * (`claude-opus-4-6[1m]`), as clouds spell them (`us.anthropic.claude-sonnet-4-5-20250929-v1:0`, `claude-opus-4-5@20251101`), or after the vendor's
 * name (`anthropic/claude-haiku-4-5`).
 */
export function namesOf(provider: string, model: string): string[] {
  const plain = model.replace(/\[[^\]]*\]$/, '');
  const ofCloud = plain
    .replace(/^(?:(?:us|eu|apac|global|jp|au|us-gov)\.)?anthropic\./, '')
    .replace(/-v\d+(?::\d+)?$/, '');
  const behindVendor = ofCloud.startsWith(`${provider}/`) ? ofCloud.slice(provider.length + 1) : ofCloud;
  const ofVendor = behindVendor.replace('@', '-');
  return [...new Set([model, plain, ofCloud, ofVendor, withoutDate(ofVendor)])];
}

/** A snapshot costs the same as its model, unless the catalogue has a price for the snapshot itself. */
function withoutDate(name: string): string {
  return name.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '');
}
