import { withNewSecrets } from "../security/two-secrets.ts";

/**
 * Returns the variables and secrets among the bindings. During the change of a secret, both the new and the old one are
 * used.
 */
export function textsOf(env: object): Record<string, string | undefined> {
  return withNewSecrets(
    Object.fromEntries(
      Object.entries(env).filter(
        (entry): entry is [string, string] => typeof entry[1] === "string",
      ),
    ),
  );
}
