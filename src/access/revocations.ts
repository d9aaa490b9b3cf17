/** Which tokens of a tenant count no longer. */
export interface Revocations {
  /** Whether one of these subjects was revoked for tokens that were made at `madeAt`, in seconds since the epoch. */
  isRevoked(tenant: string, subjects: readonly string[], madeAt: number): Promise<boolean>;
  revoke(
    tenant: string,
    subjects: readonly string[],
    until: { readonly madeUntil: number; readonly expiresAt: number },
  ): Promise<void>;
  /** Deletes what is of no use any more, at most 500 rows. */
  sweep(nowSeconds: number): Promise<void>;
}

/** A token, a run, or what tokens start. */
export const subjectOf = {
  token: (id: string): string => `token:${id}`,
  run: (id: string): string => `run:${id}`,
  target: ({ kind, name }: { readonly kind: string; readonly name: string }): string =>
    `${kind}:${name}`,
};
