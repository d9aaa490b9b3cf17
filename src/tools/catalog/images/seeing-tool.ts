import * as z from "zod";
import { camelCase } from "../../../base/camel-case.ts";
import type { ModelSpec } from "../../../llm/resolve-model.ts";
import { catalogTool, entryOf } from "../base/catalog-tool.ts";
import type { RunSpec } from "../base/tool-spec.ts";
import type { CatalogTool, MadeTool } from "../base/entry.ts";
import type { Tool } from "../../tool.ts";
import { lookAtImage } from "./look-at-image.ts";

const seeingOptions = () =>
  z.object({
    /** Model with image input, by name or with settings. */
    llm: (z.unknown() as unknown as z.ZodType<ModelSpec, ModelSpec>).optional(),
    /** Model of OpenAI's, used without `llm`. */
    model: z.string().min(1).optional(),
  });

const input = () =>
  z.object({
    image_path_url: z.string().min(1).describe("The image: a path in the workspace, or a URL"),
  });

/** Creates a tool that asks a model about an image. Without another model it needs OpenAI's key. */
export function seeingTool(
  seeing: Pick<RunSpec<z.ZodObject, z.ZodObject>, "className" | "displayName"> & {
    readonly description: string;
    readonly prompt: string;
    readonly model: string;
    readonly settings?: { readonly temperature: number };
  },
): CatalogTool<ReturnType<typeof seeingOptions>> {
  const { prompt, model: usual, settings = {}, ...named } = seeing;
  const spec: RunSpec<ReturnType<typeof input>, ReturnType<typeof seeingOptions>> = {
    ...named,
    group: "vision",
    service: "models",
    effectClass: "R",
    untrusted: true,
    callTimeoutMs: 300_000,
    input,
    options: seeingOptions,
    run: async ({ image_path_url: image }, { llm, model = usual }, io) =>
      lookAtImage(io, image, { prompt, llm: withSettings(llm ?? model, settings) }),
  };
  const make = (options: Readonly<Record<string, unknown>>): MadeTool => {
    const hasModel = Object.keys(options).some(
      (name) => camelCase(name) === "llm" && options[name] !== undefined && options[name] !== null,
    );
    return catalogTool({ ...spec, env: hasModel ? [] : [OPENAI_KEY] }).entry.make(options);
  };
  const entry = entryOf({ ...spec, env: [{ ...OPENAI_KEY, required: false }] }, make);
  return Object.assign((options = {}) => entry.make(options).tool as Tool, { entry });
}

const OPENAI_KEY = {
  name: "OPENAI_API_KEY",
  description: "Key of OpenAI, where the tool has no llm of its own",
};

function withSettings(llm: ModelSpec, settings: { readonly temperature?: number }): ModelSpec {
  const isPlain = typeof llm === "string" && Object.keys(settings).length > 0;
  return isPlain ? { ...settings, model: llm } : llm;
}
