import { withNewSecrets } from "../security/two-secrets.ts";

/** The variables and secrets among the bindings; of a secret that is being changed, the new one and the old one. */
export function textsOf(env: object): Record<string, string | undefined> {
  return withNewSecrets(
    Object.fromEntries(
      Object.entries(env).filter(
        (entry): entry is [string, string] => typeof entry[1] === "string",
      ),
    ),
  );
}
