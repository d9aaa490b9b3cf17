// Memory and knowledge behind the HTTP layer: real runs, a real SQL database, vectors in this process.
import type { AppPart, PartEnv, PartPlace } from "../../src/cloudflare/app-part.ts";
import type { FileStore } from "../../src/files/file-store.ts";
import { InMemoryFileStore } from "../../src/files/in-memory-file-store.ts";
import { knowledge, type KnowledgePartOptions } from "../../src/knowledge-api/knowledge-part.ts";
import { modelCatalog } from "../../src/llm/model-catalog.ts";
import { memory, type MemoryPartOptions } from "../../src/memory-api/memory-part.ts";
import { MemoryVectorStores } from "../../src/vectors/exact-vectors.ts";
import type { VectorStores } from "../../src/vectors/vector-store.ts";
import { HttpWorld } from "./http-app.ts";
import { sqliteD1 } from "./sqlite-d1.ts";

type Options = NonNullable<ConstructorParameters<typeof HttpWorld>[0]> & {
  readonly memory?: MemoryPartOptions;
  readonly knowledge?: KnowledgePartOptions;
  readonly vectors?: VectorStores;
  /** @default one in this process */
  readonly files?: FileStore | null;
  readonly allowPrivate?: boolean;
};

export const ADMIN = "boss";

export class RecallWorld extends HttpWorld {
  readonly database: ReturnType<typeof sqliteD1>;
  readonly files: FileStore;

  constructor(options: Options = {}) {
    const {
      memory: remembering,
      knowledge: knowing,
      files,
      allowPrivate = false,
      ...rest
    } = options;
    const { vectors = new MemoryVectorStores(), ...services } = rest;
    const database = sqliteD1();
    const store = files ?? new InMemoryFileStore();
    const env: PartEnv = { DB: database };
    const parts: readonly AppPart[] = [
      memory({ vectors: () => vectors, ...remembering }),
      knowledge({ vectors: () => vectors, ...knowing }),
    ];
    const placeOf = (tenant: string): PartPlace => ({
      tenant,
      env,
      environment: { variables: {} },
      outbound: { allowPrivate },
      files: files === null ? undefined : store,
    });
    super({
      auth: { mode: "keys", adminKey: ADMIN },
      ...services,
      appParts: parts,
      runServices: (tenant) =>
        Object.fromEntries(parts.map((part) => [part.kind, part.service(placeOf(tenant))])),
      partsOf: (app) =>
        parts.map(
          (part) =>
            part.bind({
              ...app,
              env,
              placeOf,
              models: modelCatalog({ variables: {} }),
              maxBodyBytes: 1024 * 1024,
            }).api,
        ),
    });
    this.database = database;
    this.files = store;
  }
}
