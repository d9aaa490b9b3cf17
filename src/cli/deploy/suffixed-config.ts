// A deployment for each pull request: one environment, its names with a suffix.
//
//   SFX1. Every resource with data has the suffix in its name, so two deployments share no data.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { wrongUse } from "../cli-failure.ts";
import { environmentOf, type Environment } from "../environment.ts";
import type { Project } from "../project.ts";

/** Fields of bindings with a name of a resource. */
const NAMES: ReadonlySet<string> = new Set([
  "database_name",
  "queue",
  "dead_letter_queue",
  "index_name",
  "bucket_name",
]);
/** Ids of existing resources. They would take precedence over names. */
const IDS: ReadonlySet<string> = new Set(["database_id", "preview_database_id"]);
const DEAD = "-dlq";

/** Writes a configuration beside the project's, as its paths are relative to it. */
export function writeSuffixed(
  { folder, config }: Project,
  { env, suffix }: { readonly env: string | undefined; readonly suffix: string },
): { readonly environment: Environment; readonly configFile: string } {
  if (!/^[a-z0-9](?:[a-z0-9-]{0,18}[a-z0-9])?$/.test(suffix))
    throw wrongUse(`--suffix: expected up to 20 of a-z, 0-9 and -, got ${JSON.stringify(suffix)}`);
  const plain = environmentOf(config, env);
  if (plain.env === undefined || env === undefined)
    throw wrongUse("--suffix needs the environment that it is of", "--env preview");
  const environments = isJsonObject(config["env"]) ? config["env"] : {};
  const own = suffixed(environments[plain.env] ?? {}, suffix) as JsonObject;
  const named = { ...own, name: `${plain.worker}-${suffix}` };
  const whole: JsonObject = { ...config, env: { [plain.env]: named } };
  const configFile = join(folder, `.edgecrew-${suffix}.json`);
  writeFileSync(configFile, JSON.stringify(whole));
  const stateName = `${plain.env}-${suffix}`;
  return { configFile, environment: { ...environmentOf(whole, env), stateName } };
}

function suffixed(value: JsonValue, suffix: string): JsonValue {
  if (Array.isArray(value)) return value.map((each) => suffixed(each, suffix));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !IDS.has(key))
      .map(([key, each]) => [
        key,
        NAMES.has(key) && typeof each === "string"
          ? withSuffix(each, suffix)
          : suffixed(each, suffix),
      ]),
  );
}

/** The Worker recognises dead letters by the end of their queue's name. */
function withSuffix(name: string, suffix: string): string {
  return name.endsWith(DEAD)
    ? `${name.slice(0, -DEAD.length)}-${suffix}${DEAD}`
    : `${name}-${suffix}`;
}
