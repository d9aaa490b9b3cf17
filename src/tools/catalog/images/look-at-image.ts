import { digestHex } from "../../../base/bytes.ts";
import { typeOfName } from "../../../files/detection/extensions.ts";
import { fileFacts } from "../../../files/detection/file-facts.ts";
import { isFileId } from "../../../files/file-id.ts";
import type { RunFile } from "../../../files/file-ref.ts";
import type { Message } from "../../../llm/language-model.ts";
import type { ModelSpec } from "../../../llm/resolve-model.ts";
import { callModel } from "../../../model-calls/model-call.ts";
import { Transcript } from "../../../model-calls/transcript.ts";
import { UsageMeter } from "../../../model-calls/usage-meter.ts";
import { toolResult, type ToolResult } from "../../tool-result.ts";
import { serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { readWorkspaceFile } from "../files/workspace-file.ts";

const SEEN = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Asks a model about an image: a path in the workspace, a stored file, or a URL. The call is a step of the run. */
export async function lookAtImage(
  io: ToolIo,
  named: string,
  { prompt, llm }: { readonly prompt: string; readonly llm: ModelSpec },
): Promise<ToolResult> {
  const { scope } = io;
  const image = await io.context.step("image", () => imageOf(io, named));
  const model = scope.model(llm);
  if (model.capabilities.vision !== true)
    throw serviceFailure({
      code: "bad_request",
      message: `${model.id} does not see images: the tool needs a model that does, as its option llm.`,
    });
  const messages: readonly Message[] = [
    {
      role: "user",
      content: [
        { type: "text", text: prompt },
        { type: "image", runFile: image },
      ],
    },
  ];
  const meter = new UsageMeter();
  const { text } = await callModel(
    scope.at("look"),
    { model, budget: {}, meter },
    { request: { messages }, inputHash: new Transcript(messages).hash },
  );
  return toolResult({
    text,
    usage: meter.total,
    untrusted: [image.name],
    ...("url" in image.at ? { sources: [{ url: image.at.url }] } : undefined),
  });
}

/**
 * Detects the type of an image from its bytes; for an address, this happens when the image is sent. Throws a failure if
 * the file is not an image.
 */
async function imageOf(io: ToolIo, named: string): Promise<RunFile> {
  if (/^https?:\/\//i.test(named)) {
    const { href, pathname } = io.checkAddress(named);
    const name = pathname.slice(pathname.lastIndexOf("/") + 1) || "image";
    const mediaType = typeOfName(pathname) ?? "image/png";
    if (!SEEN.includes(mediaType)) throw noImage(named, mediaType);
    return { key: "image", name, mediaType, kind: "image", at: { url: href } };
  }
  const file = await readWorkspaceFile(io, named);
  const { name, bytes, mediaType: declared } = file;
  const facts = await fileFacts(bytes, { name, declared });
  if (!SEEN.includes(facts.mediaType)) throw noImage(name, facts.mediaType);
  const at = isFileId(named) ? { id: named } : { workspace: named };
  return { key: "image", name, ...facts, sha256: await digestHex(bytes), at };
}

function noImage(name: string, mediaType: string): Error {
  return serviceFailure({
    code: "bad_request",
    message: `${name} is ${mediaType}: this tool sees PNG, JPEG, GIF and WEBP images.`,
  });
}
