// Hides secrets in a source: they are neither copied nor shown.
import { isSecretName } from "../../base/secret-name.ts";

const HIDDEN = "(hidden)";

/** `api_key="…"`, `"token": '…'`, `PASSWORD: str = "…"`. */
const NAMED =
  /((?:\b|["'])([A-Za-z_][\w-]*)["']?\]?(?:\s*:\s*[\w.[\]]+)?\s*[=:]\s*[rbuRBU]?)("""[^]*?"""|'''[^]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')/g;
/** Forms of providers' keys. */
const KEYS =
  /\b(?:sk|pk|rk|xox[abp]|gh[opsu]|glpat|AKIA|AIza|hf|tvly|gsk|nvapi)[-_]?(?:(?:live|test|proj|ant)[-_])?[A-Za-z0-9_-]{16,}/g;
const BEARER = /\b(Bearer|Basic)\s+[A-Za-z0-9+/=_.-]{8,}/g;

/** A piece of a source with its secrets struck out. */
export function hideSecrets(text: string): string {
  return text
    .replaceAll(NAMED, (whole, ...[before, name, value]: [string, string, string]) =>
      isSecret(name) && !/^(["'])\1$/.test(value) ? `${before}"${HIDDEN}"` : whole,
    )
    .replaceAll(KEYS, HIDDEN)
    .replaceAll(BEARER, `$1 ${HIDDEN}`);
}

/** True if the name of an argument or key suggests a secret. */
export function isSecret(name: string): boolean {
  return (
    isSecretName(name) || /(api_?key|secret|password|passwd|authorization|(^|_)token)$/i.test(name)
  );
}

/** True if a text looks like a secret, under any name. */
export function looksSecret(text: string): boolean {
  return text.search(KEYS) >= 0 || text.search(BEARER) >= 0;
}
