// Secrets used by this isolate. They are removed from texts of other origin before those are stored.
//
//   NS1. A secret is removed whole, also in its JSON, URL and base64 forms, and at a cut in the middle of it.
//   NS2. Short texts are not treated as secrets: their removal would make texts unreadable.

import { toBase64 } from "../base/bytes.ts";

const MIN_LENGTH = 8;
/** Length of a secret's fragment that is enough to remove it. */
const MIN_SHOWN = 16;
const MAX_KEPT = 2_000;
const MASK = "[secret]";

/** The oldest is forgotten first. */
const known = new Set<string>();

/** Remembers a secret for `withoutSecrets`; returns it. */
export function noteSecret(secret: string): string {
  for (const form of formsOf(secret)) {
    known.delete(form);
    known.add(form);
  }
  for (const oldest of known) {
    if (known.size <= MAX_KEPT) break;
    known.delete(oldest);
  }
  return secret;
}

/** The text with all known secrets struck out. */
export function withoutSecrets(text: string): string {
  let shown = text;
  for (const secret of known) shown = shown.replaceAll(secret, () => MASK);
  for (const secret of known) shown = withoutStart(shown, secret);
  return shown;
}

function formsOf(secret: string): ReadonlySet<string> {
  const bare = secret.trim();
  if (bare.length < MIN_LENGTH) return new Set();
  const plain = [bare, JSON.stringify(bare).slice(1, -1), encodeURIComponent(bare)];
  return new Set([...plain, ...base64Forms(bare)]);
}

/**
 * Returns the texts that the base64 of any text with the secret contains, for each place of the secret in groups of
 * three bytes, in both alphabets.
 */
function base64Forms(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret);
  return [0, 1, 2].flatMap((before) => {
    const whole = new Uint8Array(before + bytes.length - ((before + bytes.length) % 3));
    whole.set(bytes.subarray(0, whole.length - before), before);
    // The first group has bits of the text before the secret.
    const text = toBase64(whole).slice(before === 0 ? 0 : 4);
    return text.length < MIN_SHOWN ? [] : [text, text.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

function withoutStart(text: string, secret: string): string {
  const enough = Math.min(secret.length, MIN_SHOWN);
  const start = secret.slice(0, enough);
  let shown = "";
  let at = 0;
  for (let found = text.indexOf(start); found >= 0; found = text.indexOf(start, at)) {
    let length = enough;
    while (length < secret.length && text[found + length] === secret[length]) length++;
    shown += text.slice(at, found) + MASK;
    at = found + length;
  }
  return shown + text.slice(at);
}
