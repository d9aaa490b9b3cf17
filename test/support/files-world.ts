// The HTTP API with files, over a bucket and a database in this process.
import { files } from "../../src/entry/files.ts";
import type { FilesLimits } from "../../src/files/files-part.ts";
import type { PartEnv } from "../../src/parts/part.ts";
import {
  textOf,
  HttpWorld,
  type HttpWorldOptions,
  type Answer,
  type AskOptions,
} from "./http-app.ts";
import { InMemoryBucket } from "./in-memory-bucket.ts";
import { sqliteD1 } from "./sqlite-d1.ts";

export const FILES_SECRET = "a secret of the tests";

export class FilesWorld extends HttpWorld {
  readonly bucket: InMemoryBucket;
  readonly database: ReturnType<typeof sqliteD1>;

  constructor({
    limits = {},
    inD1 = false,
    ...options
  }: { readonly limits?: FilesLimits; readonly inD1?: boolean } & Omit<
    HttpWorldOptions,
    "limits"
  > = {}) {
    const bucket = new InMemoryBucket();
    const database = sqliteD1();
    super({
      variables: { EDGECREW_FILES_SECRET: FILES_SECRET },
      ...options,
      env: { DB: database, FILES: bucket } as PartEnv,
      parts: [files({ store: inD1 ? "d1" : { r2: "FILES" }, ...limits }), ...(options.parts ?? [])],
    });
    this.bucket = bucket;
    this.database = database;
  }

  /** Stores a file, and answers its id. */
  async upload(
    body: string | Uint8Array<ArrayBuffer>,
    options: AskOptions & { name?: string } = {},
  ) {
    const { name = "a.txt", ...ask } = options;
    const answer = await this.ask(`/files?name=${encodeURIComponent(name)}`, { body, ...ask });
    if (answer.status !== 201) throw new Error(`the upload was answered ${answer.text}`);
    return textOf(answer.json["id"]);
  }

  /** What the sweeper does each minute. */
  async sweep(): Promise<void> {
    await this.bound.get("files")?.due?.();
  }

  /** The rows of a table. */
  rows(table: string): number {
    const row = this.database.sqlite.prepare(`SELECT COUNT(*) AS count FROM ${table}`).get();
    return Number(row?.["count"]);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.ask(path, { headers });
  }
}
