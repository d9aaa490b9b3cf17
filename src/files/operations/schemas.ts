// Schemas of requests about files and of their responses.
import * as z from "zod";
import { limit } from "../../parts/schemas.ts";
import { time } from "../../parts/shapes.ts";
import { shape, type ViewOf } from "../../parts/shape.ts";

const KINDS = ["image", "pdf", "text", "document", "audio", "video", "other"] as const;

const MIN_SECONDS = 60;
const MAX_SECONDS = 31_536_000;
const MAX_URL_SECONDS = 900;

export const uploadQuery = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(255)
    .regex(/^[^\u0000-\u001f\u007f]+$/, "expected printable characters")
    .optional()
    .describe("Name of the file. Default `file`."),
  expires: z.coerce
    .number()
    .int()
    .min(MIN_SECONDS)
    .max(MAX_SECONDS)
    .optional()
    .describe("Lifetime in seconds. Default 30 days."),
});

export const listFilesQuery = z.strictObject({
  cursor: z.string().min(1).optional(),
  limit,
  kind: z.enum(KINDS).optional(),
  run: z.string().min(1).max(64).optional().describe("Files that this run was started with."),
});

export const deleteFileQuery = z.strictObject({
  force: z
    .enum(["1", "0", "true", "false"])
    .transform((value) => value === "1" || value === "true")
    .optional()
    .describe("Also while a run uses it. Needs a key with the scope `admin`."),
});

export const fileUrlBody = z.strictObject({
  seconds: z.int().min(1).max(MAX_URL_SECONDS).default(MAX_URL_SECONDS),
});

export const signatureQuery = z.strictObject({
  tenant: z.string().optional().describe("Part of a signed URL."),
  expires: z.string().optional().describe("Part of a signed URL."),
  signature: z.string().optional().describe("Part of a signed URL."),
});

const file = () => ({
  name: z.string(),
  mediaType: z.string(),
  kind: z.enum(KINDS),
  bytes: z.number(),
  sha256: z.string().describe("In hexadecimal"),
  createdAt: time(),
  expiresAt: time().optional(),
  width: z.number().optional().describe("In pixels"),
  height: z.number().optional().describe("In pixels"),
  pages: z.number().optional(),
  seconds: z.number().optional(),
});

export const fileShape = shape("File", () => z.strictObject({ id: z.string(), ...file() }));

export const filesShape = shape("Files", () =>
  z.strictObject({ items: z.array(z.strictObject({ id: z.string(), ...file() })) }),
);

export const fileUrlShape = shape("FileUrl", () =>
  z.strictObject({ url: z.string(), expiresAt: time() }),
);

export const runFileShape = shape("RunFile", () =>
  z.strictObject({
    path: z.string(),
    mediaType: z.string(),
    bytes: z.number(),
    sha256: z.string().describe("In hexadecimal"),
  }),
);

export const uploadShape = shape("Upload", () =>
  z.strictObject({
    id: z.string().describe("Id of the finished file"),
    bytes: z.number(),
    received: z.number(),
    expiresAt: time().optional(),
  }),
);

/** An address for requests without a key. */
export type FileUrl = ViewOf<typeof fileUrlShape>;
/** Progress of an upload. */
export type UploadView = ViewOf<typeof uploadShape>;
