const ENDINGS =
  /(apikey|accesskey|secretkey|privatekey|subscriptionkey|secret|password|passwd|passphrase|credentials?|authorization|accesstoken|authtoken|refreshtoken|sessiontoken|bearertoken)$/;

/** True for the name of a secret field: `apiKey`, `client_secret`, `x-api-key`, `token`. */
export function isSecretName(name: string): boolean {
  const bare = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  return bare === "token" || ENDINGS.test(bare);
}
