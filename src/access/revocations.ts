/** Revoked tokens of tenants. */
export interface Revocations {
  /** True if one of these subjects was revoked for tokens made at `madeAt`, in seconds since the epoch. */
  isRevoked(tenant: string, subjects: readonly string[], madeAt: number): Promise<boolean>;
  revoke(
    tenant: string,
    subjects: readonly string[],
    until: { readonly madeUntil: number; readonly expiresAt: number },
  ): Promise<void>;
  /** Deletes revocations that no longer matter, at most 500 rows. */
  sweep(nowSeconds: number): Promise<void>;
}

/** Subjects of revocations: a token, a run, or a target. */
export const subjectOf = {
  token: (id: string): string => `token:${id}`,
  run: (id: string): string => `run:${id}`,
  target: ({ kind, name }: { readonly kind: string; readonly name: string }): string =>
    `${kind}:${name}`,
};
