import * as z from "zod";
import { fromBase64 } from "../../../base/bytes.ts";
import type { WorkspaceFile } from "../../../files/workspace.ts";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { badResponse, failureOfStatus } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { addressOfImage, storeImage } from "./stored-images.ts";

const SERVICE = "OpenAI";
/** Size of four large images in base64. */
const MAX_ANSWER = 40 << 20;

const answer = () =>
  z.looseObject({
    data: z
      .array(
        z.looseObject({
          url: z.string().optional(),
          b64_json: z.string().optional(),
          revised_prompt: z.string().optional(),
        }),
      )
      .min(1),
    usage: z.looseObject({ total_tokens: z.number() }).optional(),
  });

/** Recorded result: a stored image, or a temporary address of one. */
type Made = {
  readonly images: readonly {
    readonly file?: WorkspaceFile;
    readonly url?: string;
    readonly description?: string;
  }[];
  readonly tokens?: number;
};

/** Images by OpenAI's models, saved in the workspace. */
export const dallE = catalogTool({
  className: "DallETool",
  displayName: "Dall-E Tool",
  group: "vision",
  service: SERVICE,
  effectClass: "R",
  untrusted: false,
  cache: false,
  description: "Makes an image of a description and stores it as a file.",
  input: () =>
    z.object({
      image_description: z.string().min(1).max(32_000).describe("What the image shows"),
    }),
  options: () =>
    z.object({
      model: z.string().min(1).default("dall-e-3"),
      size: z.string().min(1).default("1024x1024"),
      quality: z.string().min(1).default("standard"),
      n: z.int().min(1).max(10).default(1),
      baseUrl: z.url().default("https://api.openai.com/v1"),
    }),
  hostOptions: ["baseUrl"],
  env: [
    {
      name: "OPENAI_API_KEY",
      description: "Key of OpenAI",
      option: "apiKey",
      send: { header: "Authorization", prefix: "Bearer " },
    },
  ],
  hosts: ({ baseUrl }) => [new URL(baseUrl).host],
  timeoutMs: 180_000,
  quota: /insufficient_quota|billing_hard_limit/,
  run: async ({ image_description: prompt }, { baseUrl, model, quality, ...rest }, io) => {
    const isDallE = model.startsWith("dall-e");
    // Other models use other words for quality and do not accept this one.
    const wanted = isDallE || quality !== "standard" ? { quality } : {};
    const made = await io.context.step("generate", () =>
      generate(io, `${baseUrl}/images/generations`, { model, prompt, ...rest, ...wanted }),
    );
    const files = await io.context.step("store", () => stored(io, made));
    const described = made.images.map(({ description = prompt }, index) => {
      const file = files[index] as WorkspaceFile;
      return { image_url: addressOfImage(io, file), image_description: description, file };
    });
    const shown = described.map(({ image_url, image_description }) => ({
      image_url,
      image_description,
    }));
    const [first] = described;
    return toolResult({
      text: JSON.stringify(shown.length === 1 ? shown[0] : shown),
      data: described.length === 1 && first !== undefined ? { ...first } : described,
      files,
      ...(made.tokens === undefined
        ? undefined
        : { cost: { amount: made.tokens, unit: "tokens" as const } }),
    });
  },
});

/** Generates images. Base64 images are stored immediately, so records do not contain them. */
async function generate(io: ToolIo, url: string, body: object): Promise<Made> {
  const { idempotencyKey } = io.context;
  const response = await io.send({
    method: "POST",
    url,
    body,
    idempotencyKey,
    maxBytes: MAX_ANSWER,
  });
  const { data } = answer().safeParse(response.body);
  if (data === undefined) throw badResponse(SERVICE);
  const images: Made["images"][number][] = [];
  for (const [index, each] of data.data.entries()) {
    const { url: address, b64_json: base64, revised_prompt: description } = each;
    const about = description === undefined ? {} : { description };
    if (address !== undefined) images.push({ ...about, url: address });
    else if (base64 === undefined) throw badResponse(SERVICE);
    else {
      const file = await storeImage(io, decoded(base64), { service: SERVICE, index });
      images.push({ ...about, file });
    }
  }
  return { images, ...(data.usage === undefined ? {} : { tokens: data.usage.total_tokens }) };
}

/** Returns the images as files. Images at addresses are fetched, as the addresses expire after an hour. */
async function stored(io: ToolIo, { images }: Made): Promise<readonly WorkspaceFile[]> {
  const files: WorkspaceFile[] = [];
  for (const [index, { file, url = "" }] of images.entries()) {
    if (file !== undefined) {
      files.push(file);
      continue;
    }
    const answered = await io.read(url, { maxBytes: 25 << 20, timeoutMs: 60_000 });
    const { status, headers, bytes } = answered;
    if (status < 200 || status > 299)
      throw failureOfStatus({
        status,
        headers,
        body: "",
        service: SERVICE,
        nowMs: io.context.now(),
      });
    files.push(await storeImage(io, bytes, { service: SERVICE, index }));
  }
  return files;
}

function decoded(base64: string): Uint8Array {
  try {
    return fromBase64(base64);
  } catch {
    throw badResponse(SERVICE, "its image is no base64");
  }
}
