// Carries out the plan for the files of a model call: loads, shrinks, splits, reads and uploads them.
//
//   DLV1. Delivery is one step before the call. Its record has the form of each file, so replays repeat neither the
//         plan nor uploads.
//   DLV2. Derived files are kept in the run's workspace under the digest of their origin, and made once.
//   DLV3. If a derived file cannot be made, the original is sent or only named, and an event warns of it. After a
//         failed upload the file is sent inline if it fits.
import { EngineError, errorMessage } from "../base/error.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { LanguageModel, Message, ModelRequest } from "../llm/language-model.ts";
import { fileFacts } from "./detection/file-facts.ts";
import {
  leavesOf,
  runFilesIn,
  weightOf,
  type Delivery,
  type FileDelivery,
  type ModelDelivery,
} from "./delivery.ts";
import { readDocument } from "./file-reading.ts";
import type { RunFile } from "./file-ref.ts";
import { readsFor, shrinksFor } from "./file-lists.ts";
import { goesByUrl, planFiles } from "./plan-files.ts";
import { limitsOf } from "./provider-limits.ts";
import { readBytes } from "./read-bytes.ts";
import { base64Length } from "./request-room.ts";
import { keptAt } from "./find-file.ts";
import type { FileAction, FileWarning, PlannedFile } from "./planned-file.ts";
import { shrinkImage } from "./shrink-image.ts";
import { uploadFile } from "./upload-file.ts";
import { workspaceOf } from "./workspace.ts";

export type DeliveryRequest = {
  readonly model: LanguageModel;
  readonly request: ModelRequest;
  /** True if the provider reported an uploaded file as missing. @default false */
  readonly anew?: boolean;
};

/** Decides the form of a request's files for each possible model, as one step at `place`. */
export function deliverFiles(
  place: RunScope,
  { model, request, anew = false }: DeliveryRequest,
): Promise<readonly ModelDelivery[]> {
  return place.step<readonly ModelDelivery[]>({
    kind: "effect",
    run: async ({ signal }, inside) => {
      const deliveries: ModelDelivery[] = [];
      const models = leavesOf(model);
      for (const [index, each] of models.entries()) {
        const scope = index === 0 ? inside : inside.at(`entry:${index}`);
        const work = new ModelFilesWork(scope, {
          model: each,
          request,
          anew,
          signal,
          uploads: index === 0,
        });
        deliveries.push(await work.deliver(models.length > 1));
      }
      return deliveries;
    },
  });
}

type Work = Required<DeliveryRequest> & {
  readonly signal: AbortSignal;
  /** True for the first of several models: most calls end with it, so only its files are uploaded. */
  readonly uploads: boolean;
};

/** Files of one call for one model. */
class ModelFilesWork {
  readonly #scope: RunScope;
  readonly #work: Work;
  #warnings = 0;

  constructor(scope: RunScope, work: Work) {
    this.#scope = scope;
    this.#work = work;
  }

  async deliver(hasOthers: boolean): Promise<ModelDelivery> {
    const { model, request, uploads } = this.#work;
    const { services } = this.#scope;
    const files: RunFile[] = [];
    const missing = new Map<number, string>();
    for (const [index, file] of runFilesIn(request.messages).entries())
      files.push(await this.#known(file, (why) => missing.set(index, why)));
    let planned: readonly PlannedFile[];
    try {
      planned = planFiles(files, model, {
        budget: {
          ...weightOf(request),
          uploads,
          shrinks: shrinksFor(services),
          reads: readsFor(services),
        },
      });
    } catch (error) {
      if (hasOthers && EngineError.is(error)) return { refused: error.message };
      throw error;
    }
    const isNew = newFiles(request.messages);
    const delivered: FileDelivery[] = [];
    for (const [index, each] of planned.entries()) {
      const why = missing.get(index);
      const made = why === undefined ? await this.#carryOut(each) : leftOut(each, why);
      delivered.push(made.deliveries);
      if (isNew[index] === true) this.#warn(each.file, made);
    }
    return { files: delivered };
  }

  /** Returns the file with all facts for the plan. Loads it, unless its provider loads it. */
  async #known(file: RunFile, lacks: (why: string) => void): Promise<RunFile> {
    try {
      return await this.#measured(file);
    } catch (error) {
      this.#work.signal.throwIfAborted();
      if (file.optional !== true || !EngineError.is(error)) throw error;
      lacks(error.message);
      // No kind of request takes it, so the plan only lists it.
      return { ...file, kind: "other" };
    }
  }

  async #measured(file: RunFile): Promise<RunFile> {
    const { model, signal } = this.#work;
    if ("url" in file.at) {
      if (goesByUrl(file, model)) return file;
      const { bytes, mediaType } = await readBytes(this.#scope, file.at, signal);
      const { name } = file;
      const facts = await fileFacts(bytes, { name, declared: mediaType });
      return { ...file, at: await keptAt(this.#scope, bytes, { ...facts, name }), ...facts };
    }
    if (file.sha256 !== undefined) return file;
    const { bytes, mediaType } = await readBytes(this.#scope, file.at, signal);
    return { ...file, ...(await fileFacts(bytes, { name: file.name, declared: mediaType })) };
  }

  async #carryOut({ file, action, warnings }: PlannedFile): Promise<Made> {
    switch (action.send) {
      case "text":
        return file.kind === "text"
          ? { deliveries: [{ ...action, file }], warnings }
          : this.#read(file, action.maxCharacters, warnings);
      case "shrunk":
        return this.#shrink(file, action);
      case "pages":
        return this.#split(file, action);
      case "upload":
        return { deliveries: [await this.#upload(file)], warnings };
      default:
        return { deliveries: [{ ...action, file }], warnings };
    }
  }

  async #upload(file: RunFile): Promise<Delivery> {
    const { model, anew, signal } = this.#work;
    const { sha256, bytes = 0 } = file;
    if (sha256 === undefined) return { send: "inline", file };
    try {
      const uploaded = await uploadFile(this.#scope, { file: { ...file, sha256 }, model, anew });
      return { send: "upload", file, ...uploaded };
    } catch (error) {
      signal.throwIfAborted();
      if (!EngineError.is(error)) throw error;
      const { maxRequestBytes } = limitsOf(model);
      const { usedBytes } = weightOf(this.#work.request);
      if (usedBytes + base64Length(bytes) < maxRequestBytes) return { send: "inline", file };
      throw error;
    }
  }

  async #shrink(
    file: RunFile,
    { goal, by }: FileAction & { readonly send: "shrunk" },
  ): Promise<Made> {
    const { imageEditor } = this.#scope.services;
    const stem = `${file.sha256 ?? ""}-${goal.maxSide ?? 0}-${goal.maxBytes ?? 0}`;
    try {
      const name = `${stemOf(file.name)}.jpg`;
      const made = await this.#derived(`${stem}.jpg`, { name, from: file }, async (bytes) => {
        const shrunk = imageEditor && (await shrinkImage(imageEditor, { bytes, file, goal }));
        if (shrunk === undefined)
          throw new EngineError("invalid_input", "it cannot be made small enough");
        return shrunk.bytes;
      });
      const image = { ...file, ...made };
      const delivery =
        by === "upload" ? await this.#upload(image) : ({ send: "inline", file: image } as const);
      return { deliveries: [delivery], warnings: [] };
    } catch (error) {
      this.#work.signal.throwIfAborted();
      const why = errorMessage(error);
      const limit = [
        goal.maxSide && `${goal.maxSide} pixels`,
        goal.maxBytes && `${goal.maxBytes} bytes`,
      ];
      const warning = { limit: limit.filter(Boolean).join(", "), actual: why };
      const { model } = this.#work;
      const takes = limitsOf(model).image?.types;
      const deliveries: FileDelivery =
        takes?.includes(file.mediaType) === true
          ? [by === "upload" ? await this.#upload(file) : { send: "inline", file }]
          : [{ send: "none", file, why }];
      return { deliveries, warnings: [warning] };
    }
  }

  async #split(
    file: RunFile,
    { maxPages, maxCharacters }: FileAction & { readonly send: "pages" },
  ): Promise<Made> {
    const { splitPdf } = this.#scope.services;
    const warning = { limit: `${maxPages} pages`, actual: `${file.pages ?? 0} pages` };
    if (splitPdf === undefined) {
      if (maxCharacters > 0) return this.#read(file, maxCharacters, [warning]);
      return { deliveries: [{ send: "inline", file }], warnings: [warning] };
    }
    const { bytes } = await readBytes(this.#scope, file.at, this.#work.signal);
    const deliveries: Delivery[] = [];
    for (const [index, piece] of (await splitPdf(bytes, maxPages)).entries()) {
      const name = `${stemOf(file.name)}_chunk_${index}.pdf`;
      const facts = await fileFacts(piece, { name });
      const at = await keptAt(this.#scope, piece, { ...facts, name });
      const own = { ...file, key: `${file.key}_chunk_${index}`, name, at, ...facts };
      const isLarge =
        facts.bytes > (limitsOf(this.#work.model).uploadAbove ?? Number.POSITIVE_INFINITY);
      const uploads = isLarge && this.#work.uploads && this.#work.model.files?.upload !== undefined;
      deliveries.push(uploads ? await this.#upload(own) : { send: "inline", file: own });
    }
    return { deliveries, warnings: [] };
  }

  /** Makes a text file of a document or a recording. */
  async #read(
    file: RunFile,
    maxCharacters: number,
    warnings: readonly FileWarning[],
  ): Promise<Made> {
    try {
      const text = await this.#derived(
        `${file.sha256 ?? ""}.txt`,
        { name: file.name, from: file },
        (bytes) => this.#textOf(file, bytes),
      );
      const own = { ...file, at: text.at, kind: "text", mediaType: "text/plain" } as const;
      return { deliveries: [{ send: "text", file: own, maxCharacters }], warnings };
    } catch (error) {
      this.#work.signal.throwIfAborted();
      const why = errorMessage(error);
      const warning = { limit: "a text can be read in it", actual: why };
      return { deliveries: [{ send: "none", file, why }], warnings: [...warnings, warning] };
    }
  }

  async #textOf(file: RunFile, bytes: Uint8Array): Promise<Uint8Array> {
    const { transcriber } = this.#scope.services;
    const { signal } = this.#work;
    const { mediaType, name } = file;
    const text =
      file.kind === "audio"
        ? ((await transcriber?.transcribe({ bytes, mediaType, name }, { signal })) ?? "")
        : await readDocument(this.#scope.services, file, bytes);
    return new TextEncoder().encode(text);
  }

  /** Returns a derived file, from the workspace if it was made before. */
  async #derived(
    path: string,
    { name, from }: { readonly name: string; readonly from: RunFile },
    make: (bytes: Uint8Array) => Promise<Uint8Array>,
  ): Promise<Pick<RunFile, "name" | "at" | "mediaType" | "kind">> {
    const workspace = workspaceOf(this.#scope);
    const place = `made/${path}`;
    const known = await workspace.read(place);
    if (known !== undefined)
      return {
        name,
        at: { workspace: place },
        ...(await fileFacts(known.content, { name: path })),
      };
    const { bytes } = await readBytes(this.#scope, from.at, this.#work.signal);
    const made = await make(bytes);
    const facts = await fileFacts(made, { name: path });
    await workspace.write(place, made, facts.mediaType);
    return { name, at: { workspace: place }, ...facts };
  }

  #warn({ name: file }: RunFile, { deliveries, warnings }: Made): void {
    const [first] = deliveries;
    const outcomes = {
      url: "sent",
      inline: "sent",
      upload: "uploaded",
      text: "text",
      none: "listed",
    } as const;
    const outcome = outcomes[first?.send ?? "none"];
    for (const { limit, actual } of warnings)
      this.#scope.emit(
        "file_warning",
        { file, model: this.#work.model.id, limit, actual, outcome },
        this.#warnings++,
      );
  }
}

function leftOut({ file }: PlannedFile, why: string): Made {
  const warning = { limit: "it can be had", actual: why };
  return { deliveries: [{ send: "none", file, why }], warnings: [warning] };
}

type Made = { readonly deliveries: FileDelivery; readonly warnings: readonly FileWarning[] };

/** Marks files not sent before: no answer follows their message. */
function newFiles(messages: readonly Message[]): readonly boolean[] {
  const lastAnswer = messages.findLastIndex(({ role }) => role === "assistant");
  return messages.flatMap((message, index) => runFilesIn([message]).map(() => index > lastAnswer));
}

function stemOf(name: string): string {
  return name.replace(/\.[^.]*$/, "") || name;
}
