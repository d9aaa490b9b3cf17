// Memory and knowledge behind the HTTP layer: real runs, a real SQL database, vectors in this process.
import type { FileStore } from "../../src/files/file-store.ts";
import { InMemoryFileStore } from "../../src/files/in-memory-file-store.ts";
import { knowledge, type KnowledgePartOptions } from "../../src/entry/knowledge.ts";
import { memory, type MemoryPartOptions } from "../../src/entry/memory.ts";
import { InMemoryVectorStores } from "../../src/vectors/exact-vectors.ts";
import type { VectorStores } from "../../src/vectors/vector-store.ts";
import { HttpWorld, type HttpWorldOptions } from "./http-app.ts";
import { sqliteD1 } from "./sqlite-d1.ts";

type Options = HttpWorldOptions & {
  readonly memory?: MemoryPartOptions;
  readonly knowledge?: KnowledgePartOptions;
  readonly vectors?: VectorStores;
  /** The database of another world. @default an empty one */
  readonly database?: ReturnType<typeof sqliteD1>;
  /** @default one in this process */
  readonly files?: FileStore | null;
};

export const ADMIN = "boss";

export class RecallWorld extends HttpWorld {
  readonly database: ReturnType<typeof sqliteD1>;
  readonly files: FileStore;

  constructor(options: Options = {}) {
    const { memory: remembering, knowledge: knowing, files, ...rest } = options;
    const { vectors = new InMemoryVectorStores(), database = sqliteD1(), ...services } = rest;
    const store = files ?? new InMemoryFileStore();
    super({
      auth: { mode: "keys", adminKey: ADMIN },
      ...services,
      env: { DB: database },
      parts: [
        memory({ vectors: () => vectors, ...remembering }),
        knowledge({ vectors: () => vectors, ...knowing }),
        ...(files === null ? [] : [{ name: "files", services: { files: () => store } }]),
      ],
    });
    this.database = database;
    this.files = store;
  }
}
