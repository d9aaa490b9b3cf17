// Gemini's files API: messages name an uploaded file by its URI, for two days.
import { sleep, type Clock } from "../../base/clock.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import { parsedObject } from "../../base/json.ts";
import { systemFetch } from "../../base/system.ts";
import { accountOf } from "../account.ts";
import { answerText, refusalText } from "../answer-bounds.ts";
import type { Connection } from "../connection.ts";
import type { FileToUpload, ModelFiles, UploadedFile, UploadOptions } from "../model-files.ts";
import { ofLength } from "../multipart.ts";
import { providerError, unreadableAnswer } from "../provider-failure.ts";
import { fieldsOf, textOf } from "../wire.ts";

/** Videos are processed before they can be named. */
const PROCESSING_MS = 300_000;
const POLL_MS = 2000;

/** Name of the server in errors. */
const SERVER = "Gemini's files API";

type Options = {
  readonly id: string;
  readonly connection: Connection;
  readonly clock: Clock;
  readonly fetch: typeof fetch | undefined;
  readonly preferUpload: boolean | undefined;
};

export function geminiFiles(options: Options): ModelFiles {
  const { baseUrl } = options.connection;
  return {
    limits: "gemini",
    preferUpload: options.preferUpload,
    account: () => accountOf(options.connection),
    upload: (file, upload) => uploaded(options, baseUrl, { file, ...upload }),
    remove: async (fileId, { signal }) => {
      await asked(options, `${baseUrl}/files/${nameOf(fileId)}`, { method: "DELETE", signal });
    },
  };
}

async function uploaded(
  options: Options,
  baseUrl: string,
  { file, signal }: UploadOptions & { readonly file: FileToUpload },
): Promise<UploadedFile> {
  const { origin, pathname } = new URL(baseUrl);
  const started = await asked(options, `${origin}/upload${pathname}/files`, {
    method: "POST",
    signal,
    headers: {
      "content-type": "application/json",
      "x-goog-upload-protocol": "resumable",
      "x-goog-upload-command": "start",
      "x-goog-upload-header-content-length": String(file.bytes),
      "x-goog-upload-header-content-type": file.mediaType,
    },
    body: JSON.stringify({ file: { display_name: file.name } }),
  });
  const target = started.headers.get("x-goog-upload-url") ?? "";
  if (!URL.canParse(target) || new URL(target).origin !== origin)
    throw unreadableAnswer(options.id, "named no address of its own to upload to");
  const finished = await asked(options, target, {
    method: "POST",
    signal,
    headers: {
      "content-length": String(file.bytes),
      "x-goog-upload-offset": "0",
      "x-goog-upload-command": "upload, finalize",
    },
    body: ofLength(await file.open(), file.bytes),
    duplex: "half",
  } as RequestInit);
  const made = fieldsOf((await bodyOf(finished))["file"]);
  return active(options, baseUrl, { made, signal });
}

/** Waits until the file can be named. */
async function active(
  options: Options,
  baseUrl: string,
  { made, signal }: { readonly made: object; readonly signal: AbortSignal },
): Promise<UploadedFile> {
  const { id, clock } = options;
  let file = fieldsOf(made);
  const untilMs = clock.now() + PROCESSING_MS;
  for (;;) {
    const uri = textOf(file["uri"]);
    if (uri === "") throw unreadableAnswer(id, "took a file and named no URI");
    const state = textOf(file["state"]) || "ACTIVE";
    if (state === "FAILED")
      throw new EngineError("model_rejected", `${id} could not process the file`);
    if (state === "ACTIVE") {
      const expiresAtMs = Date.parse(textOf(file["expirationTime"]));
      return { fileId: uri, ...(Number.isNaN(expiresAtMs) ? undefined : { expiresAtMs }) };
    }
    if (clock.now() >= untilMs)
      throw new EngineError(
        "timeout",
        `${id} took longer than ${PROCESSING_MS / 1000} s to process the file`,
      );
    await sleep(clock, POLL_MS, signal);
    file = await bodyOf(await asked(options, `${baseUrl}/files/${nameOf(uri)}`, { signal }));
  }
}

/** `https://…/v1beta/files/abc` → `abc` */
function nameOf(uri: string): string {
  return encodeURIComponent(uri.slice(uri.lastIndexOf("/") + 1));
}

async function bodyOf(response: Response): Promise<Readonly<Record<string, unknown>>> {
  return fieldsOf(parsedObject(await answerText(response, { server: SERVER })));
}

async function asked(
  { id, connection, clock, fetch: send = systemFetch }: Options,
  url: string,
  init: RequestInit,
): Promise<Response> {
  const headers = new Headers(init.headers);
  if (connection.apiKey !== undefined) headers.set("x-goog-api-key", connection.apiKey);
  let response: Response;
  try {
    response = await send(url, { ...init, headers });
  } catch (error) {
    init.signal?.throwIfAborted();
    throw unreadableAnswer(id, `failed: ${errorMessage(error)}`, error);
  }
  if (response.ok) return response;
  const body = await refusalText(response, SERVER);
  const error = fieldsOf(parsedObject(body)?.["error"]);
  const message = textOf(error["message"]) || body.slice(0, 500);
  const failure = {
    modelId: id,
    status: response.status,
    message,
    headers: response.headers,
    cause: undefined,
  };
  throw providerError(failure, clock.now());
}
