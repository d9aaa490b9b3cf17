// Secrets that are being changed: the new one is in a variable of its own beside the old one, or before it with a comma.

/** The name of the variable that has a secret's new value while both count. */
export const newSecretName = (name: string): string => `${name}_NEW`;

const CHANGED = ["EDGECREW_SECRETS_KEY", "EDGECREW_WEBHOOK_SECRET"] as const;

/** The variables, with those secrets that are being changed as `new,old`. */
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

/** The secrets that sign webhooks: one, or the new one and the old one. A secret of another form may have commas. */
export function webhookSecrets(secret: string): readonly string[] {
  const cut = secret.indexOf(",");
  if (!secret.startsWith("whsec_") || cut === -1) return [secret];
  return [secret.slice(0, cut), secret.slice(cut + 1)];
}
