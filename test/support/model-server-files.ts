// The files API of the model server: what was uploaded is known by its id until it is removed, and calls that name another fail.
import type { IncomingMessage, ServerResponse } from "node:http";

export type ServedUpload = {
  readonly id: string;
  readonly dialect: "openai" | "anthropic";
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
    const { name, type: mediaType } = file as File;
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

  /** The first file that a request names and nobody has. */
  missingIn(body: unknown): string | undefined {
    const ids = [...JSON.stringify(body).matchAll(/"file_id":"([^"]+)"/g)].map(([, id = ""]) => id);
    return ids.find((id) => !this.#known.has(id));
  }
}
