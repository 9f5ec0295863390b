/** A shape by which a secret is known, whatever stands around it. */
export interface SecretRule {
  /** The kind of secret, for people. */
  readonly kind: string;
  /** The source of a pattern. Each begins with a fixed word or class and repeats a bounded number of times: a text is gone over once. */
  readonly pattern: string;
  /** True if words have the same shape: then a long run of letters and digits has to be in it. */
  readonly isLoose?: true;
}

const word = '[A-Za-z0-9_-]';
const letter = '[A-Za-z0-9]';
const hex = '[a-f0-9]';

/** The secrets that are known by their shape. Of several rules that fit at one place the first counts. */
export const secretRules: readonly SecretRule[] = [
  { kind: 'Anthropic key', pattern: `sk-ant-${word}{12,200}`, isLoose: true },
  { kind: 'OpenRouter key', pattern: `sk-or-${word}{12,120}`, isLoose: true },
  { kind: 'OpenAI key', pattern: `sk-(?:proj|svcacct|admin)-${word}{12,220}`, isLoose: true },
  { kind: 'provider key', pattern: `sk-${word}{12,200}`, isLoose: true },
  { kind: 'Google key', pattern: `AIza${word}{20,80}`, isLoose: true },
  { kind: 'Google client secret', pattern: `GOCSPX-${word}{20,60}` },
  { kind: 'Google access token', pattern: `ya29\\.${word}{20,400}` },
  { kind: 'Groq key', pattern: `gsk_${letter}{16,120}`, isLoose: true },
  { kind: 'xAI key', pattern: `xai-${letter}{16,120}`, isLoose: true },
  { kind: 'Perplexity key', pattern: `pplx-${letter}{16,120}`, isLoose: true },
  { kind: 'NVIDIA key', pattern: `nvapi-${word}{30,120}`, isLoose: true },
  { kind: 'Replicate token', pattern: `r8_${letter}{30,60}` },
  { kind: 'Hugging Face token', pattern: `hf_${letter}{16,80}`, isLoose: true },
  { kind: 'GitHub token', pattern: `gh[pousr]_${letter}{16,255}`, isLoose: true },
  { kind: 'GitHub token', pattern: `github_pat_[A-Za-z0-9_]{16,255}`, isLoose: true },
  { kind: 'GitLab token', pattern: `gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-${word}{16,255}` },
  { kind: 'npm token', pattern: `npm_${letter}{30,80}` },
  { kind: 'PyPI token', pattern: `pypi-AgE${word}{50,400}` },
  { kind: 'Docker token', pattern: `dckr_(?:pat|oat)_${word}{20,80}` },
  { kind: 'AWS access key', pattern: `(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])` },
  { kind: 'Azure storage key', pattern: `AccountKey=[A-Za-z0-9+/]{40,120}={0,2}` },
  { kind: 'DigitalOcean token', pattern: `do[opr]_v1_${hex}{40,80}` },
  { kind: 'Databricks token', pattern: `dapi${hex}{32}(?![A-Za-z0-9])` },
  { kind: 'Slack token', pattern: `xox[abeoprs]-[A-Za-z0-9-]{16,255}`, isLoose: true },
  { kind: 'Slack token', pattern: `xapp-\\d-[A-Za-z0-9-]{20,255}` },
  { kind: 'Slack webhook', pattern: `hooks\\.slack\\.com/services/[A-Za-z0-9/]{30,100}` },
  { kind: 'Discord webhook', pattern: `discord(?:app)?\\.com/api/webhooks/\\d{15,22}/${word}{40,100}` },
  { kind: 'Telegram bot token', pattern: `\\d{8,10}:AA${word}{32,36}(?![A-Za-z0-9_-])` },
  { kind: 'Stripe key', pattern: `[sr]k_(?:live|test)_${letter}{16,120}` },
  { kind: 'Stripe webhook secret', pattern: `whsec_[A-Za-z0-9+/=]{24,80}` },
  { kind: 'Twilio key', pattern: `SK${hex}{32}(?![A-Za-z0-9])` },
  { kind: 'SendGrid key', pattern: `SG\\.${word}{16,32}\\.${word}{30,60}` },
  { kind: 'Shopify token', pattern: `shp(?:at|ca|pa|ss)_${hex}{32}(?![A-Za-z0-9])` },
  { kind: 'Linear key', pattern: `lin_(?:api|oauth)_${letter}{30,80}` },
  { kind: 'Notion token', pattern: `ntn_${letter}{40,60}` },
  { kind: 'Atlassian token', pattern: `ATATT3${word}{50,255}=?` },
  { kind: 'Grafana token', pattern: `gl(?:sa|c)_[A-Za-z0-9+/=_]{30,255}` },
  { kind: 'Sentry token', pattern: `sntry[su]_[A-Za-z0-9+/=_]{40,400}` },
  { kind: 'Supabase key', pattern: `(?:sbp_${hex}{40}|sb_secret_${word}{20,60})` },
  { kind: 'Tailscale key', pattern: `tskey-[a-z]{3,10}-${word}{16,80}` },
  { kind: 'Vault token', pattern: `hv[sbr]\\.${word}{20,255}` },
  { kind: 'Doppler token', pattern: `dp\\.(?:pt|st|sa|ct)\\.${word}{30,80}` },
  { kind: 'age key', pattern: 'AGE-SECRET-KEY-1[A-Z0-9]{40,70}' },
  { kind: 'JSON web token', pattern: `eyJ${word}{10,2000}\\.eyJ${word}{10,4000}\\.${word}{20,1000}` },
];

/** Words in a name beside which a value may be a secret, and what it then is. */
export const secretNames: readonly { readonly kind: string; readonly pattern: string }[] = [
  { kind: 'password', pattern: 'passw(?:or)?d|passphrase|pwd' },
  {
    kind: 'key',
    pattern:
      'api[_-]?key|secret[_-]?access[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|encryption[_-]?key|signing[_-]?key|account[_-]?key',
  },
  { kind: 'token', pattern: 'token|bearer' },
  { kind: 'secret', pattern: 'secret|credentials?' },
];
