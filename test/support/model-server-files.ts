// The files API of the model server: what was uploaded is known by its id until it is removed, and calls that name another fail.
import type { IncomingMessage, ServerResponse } from "node:http";

export type ServedUpload = {
  readonly id: string;
  readonly dialect: "openai" | "anthropic" | "gemini";
  readonly headers: Readonly<Record<string, string>>;
  /** The fields of the form beside the file. */
  readonly fields: Readonly<Record<string, string>>;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
};

/** What an upload is answered in place of an id. */
export type UploadFailure = { readonly status: number; readonly message: string };

export class ServedFiles {
  readonly uploads: ServedUpload[] = [];
  /** Tries that were answered with a failure. */
  failed = 0;
  readonly #known = new Set<string>();
  /** How often files of Gemini's are looked at before they are ready. */
  processing = 0;
  /** Failures of the next uploads. */
  readonly failures: UploadFailure[] = [];

  /** Forgets all files, as a provider does when they expire. */
  forget(): void {
    this.#known.clear();
  }

  /** Whether the request is one of this API, which it then answers. */
  async handle(
    request: IncomingMessage,
    { path, body, response }: { path: string; body: Buffer; response: ServerResponse },
  ): Promise<boolean> {
    if (path.includes("/v1beta/")) return this.#gemini(request, { path, body, response });
    const named = /\/files(?:\/([^/]+))?$/.exec(path);
    if (named === null) return false;
    const dialect = request.headers["anthropic-version"] === undefined ? "openai" : "anthropic";
    const answer = (status: number, json: object): boolean => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(json));
      return true;
    };
    if (request.method === "DELETE") {
      const isKnown = this.#known.delete(named[1] ?? "");
      return answer(isKnown ? 200 : 404, { id: named[1], deleted: isKnown });
    }
    const failure = this.failures.shift();
    if (failure !== undefined) {
      this.failed++;
      return answer(failure.status, { type: "error", error: { message: failure.message } });
    }
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    if (
      headers["content-length"] !== undefined &&
      Number(headers["content-length"]) !== body.length
    )
      return answer(400, { error: { message: "the length is not that of the body" } });
    const form = await new Response(new Uint8Array(body), {
      headers: { "content-type": headers["content-type"] ?? "" },
    }).formData();
    const file = form.get("file");
    if (!(file instanceof Blob)) return answer(400, { error: { message: "there is no file" } });
    const fields = Object.fromEntries(
      [...form].flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
    );
    const id = `file-${this.uploads.length + 1}`;
    const { name, type: mediaType } = file;
    this.uploads.push({
      id,
      dialect,
      headers,
      fields,
      name,
      mediaType,
      bytes: new Uint8Array(await file.arrayBuffer()),
    });
    this.#known.add(id);
    const seconds = Number(fields["expires_in_seconds"] ?? fields["expires_after[seconds]"] ?? 0);
    const atMs = Date.now() + seconds * 1000;
    return answer(200, {
      id,
      type: "file",
      object: "file",
      ...(dialect === "anthropic"
        ? { expires_at: new Date(atMs).toISOString() }
        : { expires_at: Math.floor(atMs / 1000) }),
    });
  }

  /** Google's protocol for uploads: begin, then send it all and finish. */
  #gemini(
    request: IncomingMessage,
    { path, body, response }: { path: string; body: Buffer; response: ServerResponse },
  ): boolean {
    const header = (name: string): string => String(request.headers[name] ?? "");
    const origin = `http://${header("host")}`;
    const answer = (
      status: number,
      json: object,
      headers: Record<string, string> = {},
    ): boolean => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(json));
      return true;
    };
    const fileOf = (id: string) => ({
      name: `files/${id}`,
      uri: `${origin}/v1beta/files/${id}`,
      state: this.processing-- > 0 ? "PROCESSING" : "ACTIVE",
      expirationTime: new Date(Date.now() + 48 * 3_600_000).toISOString(),
    });
    const command = header("x-goog-upload-command");
    if (command === "start") {
      if (header("x-goog-upload-protocol") !== "resumable") return answer(400, {});
      const { file } = JSON.parse(body.toString("utf8")) as { file: { display_name: string } };
      const query = new URLSearchParams({
        name: file.display_name,
        type: header("x-goog-upload-header-content-type"),
        length: header("x-goog-upload-header-content-length"),
      });
      return answer(
        200,
        {},
        { "x-goog-upload-url": `${origin}/upload/v1beta/files?${query.toString()}` },
      );
    }
    if (command === "upload, finalize") {
      const query = new URL(request.url ?? "", origin).searchParams;
      if (Number(query.get("length")) !== body.length)
        return answer(400, { error: { message: "wrong length" } });
      const id = `g${this.uploads.length + 1}`;
      const about = { name: query.get("name") ?? "", mediaType: query.get("type") ?? "" };
      this.uploads.push({
        id,
        dialect: "gemini",
        headers: {},
        fields: {},
        ...about,
        bytes: new Uint8Array(body),
      });
      this.#known.add(`${origin}/v1beta/files/${id}`);
      return answer(200, { file: fileOf(id) });
    }
    const named = /\/v1beta\/files\/([^/]+)$/.exec(path);
    if (named?.[1] === undefined) return false;
    if (request.method === "DELETE")
      return answer(this.#known.delete(`${origin}/v1beta/files/${named[1]}`) ? 200 : 404, {});
    return answer(200, fileOf(named[1]));
  }

  /** The first file that a request names and nobody has. */
  missingIn(body: unknown): string | undefined {
    const named = JSON.stringify(body).matchAll(/"(?:file_id|fileUri)":"([^"]+)"/g);
    const ids = [...named].map(([, id = ""]) => id).filter((id) => !id.includes("example.com"));
    return ids.find((id) => !this.#known.has(id));
  }
}
