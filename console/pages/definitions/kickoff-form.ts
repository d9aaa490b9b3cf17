import type { StartOptions } from "../../../src/client/index.ts";
import type { Json, JsonSchema, TargetDetails, TargetKind } from "../../api-types.ts";
import { isObject, schemaOfNames, type Fault } from "../../parts/form-fields.ts";

const MESSAGE: JsonSchema = { type: "string", title: "Message", minLength: 1, maxLength: 100_000 };

/** The inputs alone. */
export function inputsSchema(target: TargetDetails): JsonSchema {
  const inputs = target.inputSchema ?? schemaOfNames(target.inputs ?? []);
  return isObject(inputs["properties"]) ? inputs : { type: "object", properties: {} };
}

const takesInputs = (kind: TargetKind): boolean => kind === "crew" || kind === "flow";

/** Returns the fields of a kickoff of this kind: inputs, or a message, or both. */
export function kickoffSchema(kind: TargetKind, target: TargetDetails): JsonSchema {
  const inputs = inputsSchema(target);
  if (takesInputs(kind)) return inputs;
  const field = kind === "agent" ? "messages" : "message";
  const hasInputs = Object.keys(inputs["properties"] as object).length > 0;
  return {
    type: "object",
    properties: {
      [field]: MESSAGE,
      ...(hasInputs ? { inputs: { ...inputs, type: "object", title: "Inputs" } } : undefined),
    },
    required: [field, ...(hasInputs ? ["inputs"] : [])],
  };
}

/** A field for each option of a start: a new option does not compile without one. Files are among the inputs. */
const OPTIONS: Readonly<Record<Exclude<keyof StartOptions, "inputFiles" | "token">, JsonSchema>> = {
  id: {
    type: "string",
    title: "Id of the run",
    pattern: "^[A-Za-z0-9_\\-]{1,64}$",
    description: "Starting twice with the same id starts one run.",
  },
  tags: { type: "array", title: "Tags", items: { type: "string" }, maxItems: 8 },
  llm: {
    type: "string",
    title: "Model of all agents",
    description: "Such as openai/gpt-5-mini, in place of their own.",
  },
  trained: {
    type: "string",
    title: "Training",
    description: "The name of a training that the run's crews work with.",
  },
  person: {
    type: "string",
    title: "Person",
    description: "Id of the person whose memory the run uses.",
  },
  version: {
    type: "integer",
    title: "Version",
    minimum: 1,
    description: "Not the present one, but this.",
  },
  stream: {
    type: "boolean",
    title: "Words as they come",
    description: "Models' words are events of the run.",
  },
  meta: {
    type: "object",
    title: "Data of your own",
    description: "Stored with the run and returned with it.",
  },
  webhooks: {
    type: "array",
    title: "Webhooks",
    description: "Addresses that receive the run's events.",
    items: {
      type: "object",
      properties: {
        url: { type: "string", format: "uri", title: "Address" },
        events: {
          type: "array",
          title: "Events",
          items: { type: "string" },
          description: "Such as crew_kickoff_completed; all that are stored if none is named.",
        },
        secret: { type: "string", title: "Secret", writeOnly: true },
      },
      required: ["url"],
    },
    maxItems: 10,
  },
};

/** Returns the further options of a run. Definitions of the code have no versions. */
export function optionsSchema(target: TargetDetails): JsonSchema {
  const { version, ...properties } = OPTIONS;
  return {
    type: "object",
    properties: target.source === "stored" ? { ...properties, version } : properties,
  };
}

/** The body of the kickoff. */
export function kickoffBody(
  kind: TargetKind,
  value: Json,
  options: Json | undefined,
): Readonly<Record<string, unknown>> {
  const more = isObject(options) ? options : {};
  const own = takesInputs(kind) ? { inputs: value } : (value as object);
  return { stream: true, ...own, ...more };
}

/** Sorts the server's faults by form. Those of `inputs` become pointers into its value. */
export function sortFaults(
  kind: TargetKind,
  issues: readonly Fault[],
): { readonly inputs: readonly Fault[]; readonly options: readonly Fault[] } {
  const inputs: Fault[] = [];
  const options: Fault[] = [];
  for (const { path, message } of issues) {
    const name = path.split("/")[1] ?? "";
    if (Object.hasOwn(OPTIONS, name)) options.push({ path, message });
    else
      inputs.push({
        path: takesInputs(kind) ? path.replace(/^\/inputs(?=\/|$)/, "") : path,
        message,
      });
  }
  return { inputs, options };
}
