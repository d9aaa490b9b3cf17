import * as z from "zod";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { toolResult } from "../../tool-result.ts";
import { badResponse, isServiceFailure } from "../base/service-failure.ts";
import { serviceTools } from "../base/service-tools.ts";
import type { ToolIo } from "../base/tool-io.ts";

const API = "https://api.apify.com/v2";
/** Maximum length of an input schema shown to a model. */
const MAX_SCHEMA = 8_000;
/** Schema fields useful to models. Apify's schemas also have texts and widgets of its forms. */
const SHOWN = new Set(["type", "description", "enum", "default", "minimum", "maximum", "items"]);

const run = z.looseObject({
  data: z.looseObject({
    id: z.string(),
    status: z.string(),
    statusMessage: z.string().nullish(),
    defaultDatasetId: z.string(),
    usageTotalUsd: z.number().nullish(),
  }),
});

/** Runs an actor of Apify's store and returns its collected data. */
export const apifyActors = serviceTools({
  className: "ApifyActorsTool",
  displayName: "Apify actor",
  group: "automation",
  service: "Apify",
  effectClass: "X",
  // Actions are in a step that is not repeated.
  effect: "idempotent",
  untrusted: true,
  description: "Runs an actor of Apify, such as a scraper, and gives what it has collected.",
  options: () =>
    z.object({
      actorName: z
        .string()
        .regex(/^[\w.-]+[/~][\w.-]+$|^[A-Za-z0-9]{10,}$/, "owner/name, or an id"),
      maxItems: z.int().min(1).max(1000).default(100),
      maxWaitSeconds: z.number().positive().default(600),
    }),
  env: [
    {
      name: "APIFY_API_TOKEN",
      description: "the API token of apify.com",
      send: { header: "Authorization", prefix: "Bearer " },
      option: "apiToken",
    },
  ],
  hosts: ["api.apify.com"],
  list: async ({ actorName }, io) => [
    {
      name: `apify_actor_${actorName.replaceAll(/[^\w]/g, "_")}`,
      description: `Runs the actor ${actorName} of Apify and gives what it has collected.`,
      parameters: {
        type: "object",
        properties: { run_input: await inputSchemaOf(actorName, io) },
        required: ["run_input"],
      },
    },
  ],
  call: async ({ input, options: { actorName, maxItems, maxWaitSeconds } }, io) => {
    const ended = await io.poll<{ readonly dataset: string; readonly usd: number }>({
      start: async () => {
        const { body } = await io.send({
          url: `${API}/acts/${idOf(actorName)}/runs`,
          body: isJsonObject(input["run_input"]) ? input["run_input"] : {},
        });
        return runOf(body).id;
      },
      check: async (id) => {
        const { body } = await io.send({ url: `${API}/actor-runs/${id}` });
        const { status, statusMessage, defaultDatasetId: dataset, usageTotalUsd } = runOf(body);
        if (status === "SUCCEEDED") return { done: { dataset, usd: usageTotalUsd ?? 0 } };
        if (!["FAILED", "ABORTED", "TIMED-OUT"].includes(status)) return "running";
        return { failed: statusMessage ?? `it is ${status.toLowerCase()}` };
      },
      cancel: (id) => ({ method: "POST", url: `${API}/actor-runs/${id}/abort` }),
      effect: "once",
      untilMs: maxWaitSeconds * 1000,
      lookAgain: (id) => `GET ${API}/actor-runs/${id} tells how it stands`,
    });
    const { dataset, usd } = ended;
    const { body } = await io.send({
      url: `${API}/datasets/${dataset}/items`,
      query: { clean: true, limit: maxItems },
    });
    if (!Array.isArray(body)) throw badResponse("Apify");
    return toolResult({
      text: body.length === 0 ? "The actor has collected nothing." : JSON.stringify(body, null, 1),
      data: body,
      ...(usd > 0 ? { cost: { amount: usd, unit: "usd" } } : undefined),
    });
  },
});

function idOf(actorName: string): string {
  return encodeURIComponent(actorName.replace("/", "~"));
}

function runOf(body: JsonValue): z.output<typeof run>["data"] {
  const { data } = run.safeParse(body);
  if (data === undefined) throw badResponse("Apify");
  return data.data;
}

/** Returns the input schema of an actor's default build; any object if it cannot be read. */
async function inputSchemaOf(actorName: string, io: ToolIo): Promise<JsonObject> {
  const anything = { type: "object", description: "The input of the actor" };
  try {
    const { body } = await io.send({ url: `${API}/acts/${idOf(actorName)}/builds/default` });
    const { data: build } = isJsonObject(body) ? body : {};
    const { actorDefinition: definition } = isJsonObject(build) ? build : {};
    const { input } = isJsonObject(definition) ? definition : {};
    if (!isJsonObject(input)) return anything;
    const { properties = {}, required = [] } = input;
    const shown = Object.entries(isJsonObject(properties) ? properties : {}).map(
      ([name, about]) => [name, shownOf(about)],
    );
    const schema = { type: "object", properties: Object.fromEntries(shown), required };
    return JSON.stringify(schema).length <= MAX_SCHEMA ? schema : anything;
  } catch (error) {
    if (isServiceFailure(error) && error.failureCode === "not_found") return anything;
    throw error;
  }
}

function shownOf(about: JsonValue): JsonObject {
  const { type, ...fields } = isJsonObject(about) ? about : {};
  const known = Object.entries(fields).flatMap(([name, value]): [string, JsonValue][] => {
    if (!SHOWN.has(name)) return [];
    if (name === "items") return [[name, shownOf(value)]];
    return [[name, typeof value === "string" ? value.slice(0, 200) : value]];
  });
  return { ...(type === undefined ? undefined : { type }), ...Object.fromEntries(known) };
}
