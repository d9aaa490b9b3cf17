import * as z from "zod";
import { fromBase64 } from "../../../base/bytes.ts";
import { isJsonObject } from "../../../base/json.ts";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { readBytes } from "../base/read-answer.ts";
import { badResponse } from "../base/service-failure.ts";
import { bindingFailure, bound } from "../cloudflare/bindings.ts";
import { addressOfImage, storeImage } from "./stored-images.ts";

const SERVICE = "Workers AI";
const NEED = { tool: "WorkersAiImageTool", name: "AI", settings: '[ai] binding = "AI"' };
const MAX_BYTES = 25 << 20;

/** Images by models of Workers AI, saved in the workspace. */
export const workersAiImage = catalogTool({
  className: "WorkersAiImageTool",
  displayName: "Workers AI Image",
  group: "vision",
  service: SERVICE,
  effectClass: "R",
  cache: false,
  description: "Makes an image of a description and stores it as a file.",
  input: () =>
    z.object({
      prompt: z.string().min(1).max(2048).describe("What the image shows"),
      steps: z.int().min(1).max(8).optional().describe("More are slower and finer"),
    }),
  options: () =>
    z.object({ model: z.string().min(1).default("@cf/black-forest-labs/flux-1-schnell") }),
  bindings: [NEED.name],
  check: ({ workersAi }) => void bound(workersAi, NEED),
  callTimeoutMs: 180_000,
  run: async ({ prompt, steps }, { model }, io) => {
    const ai = bound(io.services.workersAi, NEED);
    const request = steps === undefined ? { prompt } : { prompt, steps };
    const made = await ai.run(model, request).catch((error: unknown) => {
      throw bindingFailure(error, { service: SERVICE });
    });
    const file = await storeImage(io, await imageIn(made), { service: SERVICE, index: 0 });
    const about = { image_url: addressOfImage(io, file), image_description: prompt };
    return toolResult({ text: JSON.stringify(about), data: { ...about, file }, files: [file] });
  },
});

/** Some models return base64, others bytes. */
async function imageIn(made: unknown): Promise<Uint8Array> {
  if (made instanceof ReadableStream) return readBytes(new Response(made), MAX_BYTES);
  if (made instanceof Response) return readBytes(made, MAX_BYTES);
  if (made instanceof Uint8Array) return made;
  const image = isJsonObject(made) ? made["image"] : undefined;
  if (typeof image !== "string") throw badResponse(SERVICE);
  try {
    return fromBase64(image);
  } catch {
    throw badResponse(SERVICE, "its image is no base64");
  }
}
