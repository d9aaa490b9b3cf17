/**
 * A fresh id for a run or an answer. Where there is no `crypto.randomUUID`, as on phones and on pages without https, 128 bits of
 * `Math.random`: it is a name and not a secret.
 */
export function clientId(): string {
  const { crypto } = globalThis as { crypto?: { randomUUID?: () => string } };
  if (typeof crypto?.randomUUID === "function") return crypto.randomUUID();
  return part() + part() + part() + part();
}

/** 32 random bits. */
function part(): string {
  return Math.floor(Math.random() * 2 ** 32)
    .toString(16)
    .padStart(8, "0");
}
