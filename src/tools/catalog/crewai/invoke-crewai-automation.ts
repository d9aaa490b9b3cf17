import * as z from "zod";
import { camelCase } from "../../../base/camel-case.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { toolResult } from "../../tool-result.ts";
import type { Tool } from "../../tool.ts";
import { catalogTool, entryOf } from "../base/catalog-tool.ts";
import type { RunSpec } from "../base/tool-spec.ts";
import type { CatalogTool, KeyOptions, OptionsInput } from "../base/entry.ts";
import { httpsAddress } from "../base/https-address.ts";
import { badResponse } from "../base/service-failure.ts";

/** Input of the crew: its description or its JSON Schema. */
const crewInput = z.union([z.string(), z.record(z.string(), z.json())]);

const options = () =>
  z.object({
    crewApiUrl: z.string().min(1),
    crewName: z.string().min(1).optional(),
    crewDescription: z.string().min(1).optional(),
    crewInputs: z.record(z.string(), crewInput).optional(),
    maxPollingTime: z.number().positive().default(600),
  });

const begun = z.looseObject({ kickoff_id: z.string() });
const status = z.looseObject({
  state: z.string(),
  result: z.json().optional(),
  error: z.json().optional(),
});

const SPEC: RunSpec<z.ZodObject, ReturnType<typeof options>, never, "crewBearerToken"> = {
  className: "InvokeCrewAIAutomationTool",
  displayName: "invoke_amp_automation",
  group: "automation",
  service: "CrewAI",
  effectClass: "X",
  // Actions are in a step that is not repeated.
  effect: "idempotent",
  untrusted: true,
  description: "Has a deployed crew or flow do its work, and gives its result.",
  input: () => z.object({ prompt: z.string().min(1).describe("What the crew is to do") }),
  options,
  hostOptions: ["crewApiUrl"],
  env: [
    {
      name: "CREW_BEARER_TOKEN",
      description: "the token of the deployed crew",
      send: { header: "Authorization", prefix: "Bearer " },
      option: "crewBearerToken",
    },
  ],
  hosts: ({ crewApiUrl }) => [httpsAddress(crewApiUrl).host],
  run: async (inputs, { crewApiUrl, maxPollingTime }, io) => {
    const place = httpsAddress(crewApiUrl).href.replace(/\/+$/, "");
    const result = await io.poll<JsonValue>({
      start: async ({ idempotencyKey }) => {
        const { body } = await io.send({
          url: `${place}/kickoff`,
          body: { inputs },
          idempotencyKey,
        });
        const { data } = begun.safeParse(body);
        if (data === undefined) throw badResponse("CrewAI");
        return data.kickoff_id;
      },
      check: async (id) => {
        const { body } = await io.send({ url: `${place}/status/${encodeURIComponent(id)}` });
        const { data } = status.safeParse(body);
        if (data === undefined) throw badResponse("CrewAI");
        const state = data.state.toLowerCase();
        if (state === "success") return { done: data.result ?? null };
        if (state !== "failed") return "running";
        const { error = data.result ?? "it did not say why" } = data;
        return { failed: typeof error === "string" ? error : JSON.stringify(error) };
      },
      effect: "once",
      untilMs: maxPollingTime * 1000,
      lookAgain: (id) => `GET ${place}/status/${id} tells how it stands`,
    });
    return toolResult({ text: textOf(result), data: result });
  },
};

const entry = entryOf(SPEC, (settings) => {
  const named = Object.entries(settings).map(([name, value]) => [camelCase(name), value] as const);
  const all = Object.fromEntries(named);
  const { crewName: name, crewDescription: description, crewInputs: inputs } = all;
  const shared = {
    ...(name ? { name } : undefined),
    ...(description ? { description } : undefined),
  };
  const parameters = isJsonObject(inputs) ? { parameters: parametersOf(inputs) } : undefined;
  return catalogTool({ ...SPEC, ...parameters }).entry.make({ ...all, ...shared });
});

/** Runs a crew deployed with CrewAI or through `/compat` of Edgecrew. */
export const invokeCrewaiAutomation: CatalogTool<
  ReturnType<typeof options>,
  KeyOptions<"crewBearerToken">
> = Object.assign(
  (settings: OptionsInput<ReturnType<typeof options>> & KeyOptions<"crewBearerToken"> = {}) =>
    entry.make(settings).tool as Tool,
  { entry },
);

/** Returns the model's arguments for the inputs of a crew. */
function parametersOf(inputs: JsonObject): JsonObject {
  const properties = Object.entries(inputs).map(([name, about]): [string, JsonValue] => [
    name,
    isJsonObject(about)
      ? { type: "string", ...about }
      : { type: "string", description: about ?? "" },
  ]);
  const required = properties
    .filter(([, schema]) => isJsonObject(schema) && schema["default"] === undefined)
    .map(([name]) => name);
  return { type: "object", properties: Object.fromEntries(properties), required };
}

/** Returns the text of a result: a crew's output, from any of the places used by servers. */
function textOf(result: JsonValue): string {
  if (typeof result === "string") return result;
  const { output, raw = output } = isJsonObject(result) ? result : {};
  return typeof raw === "string" ? raw : JSON.stringify(result, null, 1);
}
