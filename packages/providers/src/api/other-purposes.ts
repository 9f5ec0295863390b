/** Returns true for models that do not talk, by their names: vendors list those for speech, pictures, search and comparison too. */
export function isForOtherPurposes(name: string): boolean {
  return purposes.test(name.slice(name.lastIndexOf('/') + 1));
}

const purposes =
  /embed|rerank|tts|whisper|transcribe|realtime|audio|\blive\b|image|moderation|dall-e|\bsora\b|\bveo\b|lyria|computer-use|deep-research|^(?:ada|babbage|curie|davinci)(?:-\d+)?$|^text-|-vision-preview|turbo-instruct|^aqa$/i;
