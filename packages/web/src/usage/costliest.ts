import type { ListedRoot } from '@loom/kernel';

/** The conversations that cost the most, at most ten; without prices those that used the most. */
export function costliest(items: readonly ListedRoot[], most = 10): ListedRoot[] {
  const tokensOf = ({ usage }: ListedRoot): number => usage.input_tokens + usage.output_tokens;
  return items
    .filter((item) => tokensOf(item) > 0)
    .sort((one, other) => (other.usage.cost_usd ?? 0) - (one.usage.cost_usd ?? 0) || tokensOf(other) - tokensOf(one))
    .slice(0, most);
}
