// Secrets under rotation: the new one is in a variable of its own beside the old one, or before it with a comma.

/** Returns the name of the variable for a secret's new value during a rotation. */
const newSecretName = (name: string): string => `${name}_NEW`;

const CHANGED = ["EDGECREW_SECRETS_KEY", "EDGECREW_WEBHOOK_SECRET"] as const;

/** Returns the variables, with rotating secrets as `new,old`. */
export function withNewSecrets<Variables extends Readonly<Record<string, string | undefined>>>(
  variables: Variables,
): Variables {
  const both = CHANGED.flatMap((name): ReadonlyArray<readonly [string, string]> => {
    const next = variables[newSecretName(name)]?.trim();
    const old = variables[name]?.trim();
    if (next === undefined || next === "" || next === old) return [];
    return [[name, old === undefined || old === "" ? next : `${next},${old}`]];
  });
  return both.length === 0 ? variables : { ...variables, ...Object.fromEntries(both) };
}

/**
 * Returns the secrets for signing webhooks: one, or the new and the old one. A secret without the prefix `whsec_` may
 * have commas.
 */
export function webhookSecrets(secret: string): readonly string[] {
  const cut = secret.indexOf(",");
  if (!secret.startsWith("whsec_") || cut === -1) return [secret];
  return [secret.slice(0, cut), secret.slice(cut + 1)];
}
