// Removes credentials from texts before they are stored.
//
//   WCR1. Values of fields with names of credentials are removed, at any depth, also of JSON within texts.
//   WCR2. Tokens of well-known forms, and secrets used by this process, are removed from every text.
import { withoutSecrets } from "../../security/known-secrets.ts";

const MASK = "[secret]";

/** Endings of credential names, in any case. A field `token` is a credential, `totalTokens` is not. */
const NAMES =
  "api[-_]?key|authorization|cookie|passw(?:or)?d|passphrase|secret|secret[-_]?key|private[-_]?key|(?:access|refresh|auth|bearer|session|id)[-_]?token|credentials?";
const IS_NAME = new RegExp(`(?:${NAMES}|^token)$`, "i");

/** Matches `api_key=…` or `"api_key": "…"` in a text; quotes may be escaped. */
const IN_TEXT = new RegExp(
  String.raw`((?:${NAMES})(?:\\*["'])?[ \t]?[:=][ \t]?(?:\\*["'])?)(?!\[secret\]|true|false|null)[^\s"'\\,;}&]{4,}`,
  "gi",
);

const TOKENS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(Bearer|Basic) [\w.~+/=-]{8,}/gi, `$1 ${MASK}`],
  [/\b(?:sk|pk|rk|xai|gsk|hf|ghp|gho|ghs|xox[abprs])[-_][\w-]{16,}/g, MASK],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, MASK],
  [/\bAIza[\w-]{30,}/g, MASK],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, MASK],
];

/** Returns the text without credentials. JSON stays JSON. */
export function withoutCredentials(text: string): string {
  let shown = withoutSecrets(withoutNamed(text));
  for (const [form, mask] of TOKENS) shown = shown.replace(form, mask);
  return shown.replace(IN_TEXT, `$1${MASK}`);
}

/** Returns JSON without the values of credential fields. Other texts stay unchanged. */
function withoutNamed(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  let struck = false;
  const visit = (name: string, value: unknown): unknown => {
    if (typeof value !== "boolean" && value !== null && value !== "" && IS_NAME.test(name)) {
      struck = true;
      return MASK;
    }
    if (typeof value !== "string") return value;
    const inner = withoutNamed(value);
    struck ||= inner !== value;
    return inner;
  };
  try {
    const shown = JSON.stringify(JSON.parse(text), visit);
    return struck ? shown : text;
  } catch {
    return text;
  }
}
