// The secrets of a deployment.
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { isJsonObject, parsedJson } from "../../base/json.ts";
import { wrongUse } from "../cli-failure.ts";

export const ADMIN_KEY = "EDGECREW_ADMIN_KEY";

/** Secrets of each deployment, with functions to make them. */
export const OWN_SECRETS: Readonly<Record<string, () => string>> = {
  [ADMIN_KEY]: () => `eca_${randomBytes(32).toString("base64url")}`,
  EDGECREW_SECRETS_KEY: () => randomBytes(32).toString("base64"),
  EDGECREW_WEBHOOK_SECRET: () => `whsec_${randomBytes(32).toString("base64")}`,
  EDGECREW_FILES_SECRET: () => randomBytes(32).toString("base64url"),
  EDGECREW_TOKEN_KEY: () => randomBytes(32).toString("base64"),
};

const MAX_BYTES = 5 * 1024;

/** Throws exit code 2 if the platform does not accept the secret. */
export function checkSecret(name: string, value: string): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    throw wrongUse(`the name of a secret has letters, digits and _, got ${JSON.stringify(name)}`);
  if (value === "") throw wrongUse(`the secret ${name} is empty`);
  const bytes = Buffer.byteLength(value);
  if (bytes > MAX_BYTES)
    throw wrongUse(`the secret ${name} has ${bytes} bytes; at most 5 KB are possible`);
}

/** Reads secrets from a JSON or dotenv file. Throws exit code 2. */
export function readSecretsFile(path: string): Readonly<Record<string, string>> {
  if (!existsSync(path)) throw wrongUse(`there is no file ${path}`);
  const text = readFileSync(path, "utf8");
  const json = parsedJson(text);
  const values = isJsonObject(json) ? json : parseEnv(text);
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== "string") throw wrongUse(`${path}: ${name} is no text`);
    checkSecret(name, value);
  }
  return values as Record<string, string>;
}

/** Returns possible secrets of a deployment in `.dev.vars`: keys of models and tools. Excludes our own. */
export function localSecrets(folder: string): Readonly<Record<string, string>> {
  const path = join(folder, ".dev.vars");
  if (!existsSync(path)) return {};
  const values = Object.entries(parseEnv(readFileSync(path, "utf8")));
  return Object.fromEntries(
    values.filter(
      (pair): pair is [string, string] =>
        pair[1] !== undefined && pair[1] !== "" && !pair[0].startsWith("EDGECREW_"),
    ),
  );
}
