// A Worker with memory, knowledge, files and triggers, all in this process.
import { files } from "../../src/entry/files.ts";
import { knowledge } from "../../src/entry/knowledge.ts";
import { memory } from "../../src/entry/memory.ts";
import { triggers } from "../../src/entry/triggers.ts";
import { InMemoryVectorStores } from "../../src/vectors/exact-vectors.ts";
import { HttpWorld, type HttpWorldOptions } from "./http-app.ts";
import { sqliteD1 } from "./sqlite-d1.ts";
import { SECRETS_KEY } from "./trigger-world.ts";

export function storesWorker(options: HttpWorldOptions = {}): HttpWorld {
  const vectors = new InMemoryVectorStores();
  return new HttpWorld({
    env: { DB: sqliteD1() },
    variables: {
      EDGECREW_SECRETS_KEY: SECRETS_KEY,
      EDGECREW_FILES_SECRET: "a secret of the tests",
    },
    parts: [
      memory({ vectors: () => vectors }),
      knowledge({ vectors: () => vectors }),
      files({ store: "d1" }),
      triggers(),
    ],
    ...options,
  });
}
