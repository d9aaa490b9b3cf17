/** Tokens for front ends, made and verified with Web Crypto alone: for backends that issue tokens themselves. */
export {
  createRunToken,
  verifyRunToken,
  type RunToken,
  type RunTokenClaims,
  type RunTokenOptions,
  type TokenScope,
  type TokenTarget,
} from "../access/run-token.ts";
