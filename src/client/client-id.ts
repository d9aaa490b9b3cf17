/**
 * Returns a fresh id for a run or an answer. Without `crypto.randomUUID`, as on phones and on pages without https, it
 * is made of 128 bits of `Math.random`: it is a name and not a secret.
 */
export function clientId(): string {
  const { crypto } = globalThis as { crypto?: { randomUUID?: () => string } };
  if (typeof crypto?.randomUUID === "function") return crypto.randomUUID();
  return part() + part() + part() + part();
}

/** Returns 32 random bits. */
function part(): string {
  return Math.floor(Math.random() * 2 ** 32)
    .toString(16)
    .padStart(8, "0");
}
