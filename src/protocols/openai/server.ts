// OpenAI's API under /v1, for its SDKs and for compatible user interfaces.
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { PROTOCOL_OPTION_NAMES } from "../protocol-option-names.ts";
import * as z from "zod";
import { operation, type Operation } from "../../parts/operation.ts";
import type { Part } from "../../parts/part.ts";
import {
  PROTOCOL_MIGRATIONS,
  ProtocolRuns,
  type ProtocolOptions,
  type ProtocolStores,
} from "../protocol-runs.ts";
import { chatOperations } from "./chat/chat.ts";
import { conversationOperations } from "./conversations/conversations.ts";
import { openAiProblem } from "./errors.ts";
import { findModel, modelOf } from "./models.ts";
import { responseOperations } from "./responses/responses.ts";
import { Turns } from "./turns.ts";
import { shape } from "../../parts/shape.ts";

/** Options of `openai()`. */
export type OpenAiOptions = ProtocolOptions;

const OPTIONS = definitionOptions<OpenAiOptions>("openai()", {
  ...PROTOCOL_OPTION_NAMES,
});

/** Creates the part over the stores of the platform. Fails with `invalid_definition` for invalid options. */
export function openaiPart(options: OpenAiOptions, stores: ProtocolStores): Part {
  refuseUnknownOptions(options, OPTIONS);
  return {
    name: "openai",
    docs: "openai.md",
    migrations: PROTOCOL_MIGRATIONS,
    bind: (host) => {
      const runs = new ProtocolRuns("openai", host, { options, stores });
      const turns = new Turns(runs, host);
      return {
        operations: [
          ...modelOperations(runs),
          ...chatOperations(host, turns),
          ...responseOperations(host, turns),
          ...conversationOperations(host, turns),
        ],
        problems: {
          matches: (path) => /^\/v1(\/|$)/.test(path),
          form: () => ({ shape: openAiErrorShape }),
          answer: openAiProblem,
        },
        due: () => runs.due(),
      };
    },
  };
}

function modelOperations({ exposure }: ProtocolRuns): readonly Operation[] {
  const shared = {
    group: "OpenAI compatibility",
    method: "get",
    scope: "key",
  } as const;
  const shown = async (tenant: string, id: string) => ({
    status: 200 as const,
    json: modelOf(await findModel(exposure, tenant, id)),
  });
  const described = { 200: { description: "The model", shape: openAiModelShape } };
  return [
    operation({
      ...shared,
      id: "openaiModels",
      path: "/v1/models",
      summary: "List crews, agents and flows as models",
      answers: { 200: { description: "The models", shape: openAiModelsShape } },
      problems: [],
      handle: async ({ tenant }) => {
        const all = await exposure.list(tenant);
        return { status: 200, json: { object: "list", data: all.map(modelOf) } };
      },
    }),
    operation({
      ...shared,
      id: "openaiModel",
      path: "/v1/models/{id}",
      summary: "Show a model",
      description: "The slash of an id may be encoded or not.",
      sample: { needs: "an exposed subject" },
      answers: described,
      problems: [404],
      handle: ({ tenant, params: { id = "" } }) => shown(tenant, id),
    }),
    operation({
      ...shared,
      id: "openaiModelOfKind",
      path: "/v1/models/{kind}/{name}",
      summary: "Show a model by kind and name",
      sample: { needs: "an exposed subject" },
      answers: described,
      problems: [404],
      handle: ({ tenant, params: { kind = "", name = "" } }) => shown(tenant, `${kind}/${name}`),
    }),
  ];
}

const model = () =>
  z.strictObject({
    id: z.string(),
    object: z.literal("model"),
    created: z.number(),
    owned_by: z.string(),
    description: z.string(),
  });

export const openAiModelShape = shape("OpenAiModel", () => model());

export const openAiModelsShape = shape("OpenAiModels", () =>
  z.strictObject({ object: z.literal("list"), data: z.array(model()) }),
);

export const openAiErrorShape = shape("OpenAiError", () =>
  z.strictObject({
    error: z.strictObject({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
  }),
);
