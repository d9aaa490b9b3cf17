// The claims of a token of Cloudflare Access. A module of its own, as it is loaded when the first token comes.
import { createLocalJWKSet, errors, jwtVerify, type JSONWebKeySet, type JWTPayload } from "jose";

export type AccessKeys = JSONWebKeySet;
export type AccessClaims = JWTPayload;

/** The claims; `unknown key` where no key of the set has signed it. Throws for every other token that does not count. */
export async function accessClaims(
  token: string,
  {
    keys,
    issuer,
    audience,
    nowMs,
  }: {
    readonly keys: AccessKeys;
    readonly issuer: string;
    readonly audience: string;
    readonly nowMs: number;
  },
): Promise<AccessClaims | "unknown key"> {
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer,
      audience,
      algorithms: ["RS256"],
      currentDate: new Date(nowMs),
      requiredClaims: ["exp"],
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return "unknown key";
    throw error;
  }
}
