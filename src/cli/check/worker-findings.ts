// Findings from a running Worker: targets of triggers, and missing requirements of crews.
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { isJsonObject } from "../../base/json.ts";
import { EngineError, type EdgecrewClient, type Issue } from "../../client/index.ts";
import type { Finding } from "../check-config.ts";
import { itemsOf } from "../items-of.ts";
import { startables } from "../startable.ts";

/** Crews as data: the texts of their files, by the name of the crew. */
export type CrewTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Returns schedules and webhooks with a missing crew, flow or agent. */
export async function danglingTriggers(client: EdgecrewClient): Promise<readonly Finding[]> {
  const there = new Set((await startables(client)).map(({ kind, name }) => `${kind} ${name}`));
  const schedules = await itemsOf(client.schedules.list({ limit: 100 }));
  const webhooks = await itemsOf(client.webhooks.list({ limit: 100 }));
  const named = [
    ...schedules.map(({ id, target }) => ({ of: "schedule", name: id, target })),
    ...webhooks.map(({ name, target }) => ({ of: "hook", name, target })),
  ];
  return named
    .filter(({ target }) => !there.has(`${target.kind} ${target.name}`))
    .map(({ of, name, target }) => ({
      code: "unknown_target",
      place: `${of} ${name}`,
      message: `there is no ${target.kind} ${JSON.stringify(target.name)}`,
      fix: `choose an existing one: ${[...there].join(", ") || "there is none"}`,
      isError: true,
    }));
}

const PROBE = "edgecrew-check";

/**
 * Returns the missing requirements of crews in the project's folders: models without a key, tools without their
 * variables, unsupported memory. Each crew is stored in the Worker for a moment, so it must be a local one. Variables
 * of the deployment count as present.
 */
export async function lackingCrews(
  client: EdgecrewClient,
  crews: CrewTexts,
  vars: Readonly<Record<string, unknown>>,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [name, files] of Object.entries(crews)) {
    const stored = client.crews.put(PROBE, { files, additions: { name: PROBE } });
    const warnings = await stored.then(
      (details) => details.warnings ?? [],
      (error: unknown) => {
        // The crew's files lack the additions of the code. The Worker has started, so the complete crew is valid.
        if (EngineError.is(error)) return undefined;
        throw error;
      },
    );
    if (warnings === undefined) continue;
    await client.crews.delete(PROBE);
    findings.push(
      ...warnings
        .filter(({ message }) => !variablesIn(message).some((each) => vars[each] !== undefined))
        .map((warning) => lackFinding(name, warning)),
    );
  }
  return findings;
}

function lackFinding(name: string, { path, message }: Issue): Finding {
  const code = lackOf(message);
  const [variable] = variablesIn(message);
  return {
    code,
    place: `crews/${name}${path === "" ? "" : `:${path}`}`,
    message,
    fix:
      code === "unknown_model"
        ? "write the model as provider/model"
        : variable === undefined
          ? "follow the message, or remove the field"
          : `edgecrew secrets put ${variable}; on this machine a line ${variable}=… in .dev.vars`,
    isError: code === "unknown_model",
  };
}

function variablesIn(message: string): readonly string[] {
  return message.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? [];
}

function lackOf(message: string): string {
  if (message.includes("unknown provider")) return "unknown_model";
  if (message.startsWith("calls will fail")) return "no_model_key";
  if (message.startsWith("runs will fail")) return "variable_not_set";
  if (message.startsWith("has no effect")) return "no_effect";
  return "not_in_this_worker";
}

/** Facts of a Worker about itself: `GET /about`. */
export type About = {
  readonly version: string | undefined;
  readonly sweptAt: string | undefined;
  readonly missing: readonly Finding[];
};

/** Reads a response of any form. Missing fields are undefined. */
export function aboutOf(json: unknown): About {
  const about: JsonObject = isJsonObject(json) ? json : {};
  const { version, missing, sweeper } = about;
  return {
    version: typeof version === "string" ? version : undefined,
    sweptAt: isJsonObject(sweeper) ? textOf(sweeper["lastAt"]) : undefined,
    missing: (Array.isArray(missing) ? missing : []).filter(isJsonObject).map((each) => {
      const code = textOf(each["code"]) ?? "missing";
      return {
        code,
        place: "worker",
        message: textOf(each["message"]) ?? code,
        fix: textOf(each["fix"]) ?? "edgecrew deploy",
        isError: !ONLY_COSTS.has(code),
      };
    }),
  };
}

/** Features that may be missing on purpose. */
const ONLY_COSTS: ReadonlySet<string> = new Set([
  "no_model_key",
  "no_token_key",
  "open_auth_public",
]);

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
