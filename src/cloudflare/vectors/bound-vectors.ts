import { EngineError } from "../../base/error.ts";
import type { VectorStores } from "../../vectors/vector-store.ts";
import type { PartEnv } from "../../parts/part.ts";
import { durableVectors } from "./durable-vector-store.ts";
import { vectorizeVectors } from "./vectorize/vectorize-store.ts";

declare module "../../parts/part.ts" {
  interface PartEnv {
    /** Durable Objects of the class `VectorIndex`: vectors of memory and knowledge. */
    readonly VECTORS?: unknown;
    /** A Vectorize index, which takes precedence over `VECTORS`. */
    readonly VECTORIZE?: unknown;
  }
}

const known = new WeakMap<object, VectorStores>();

/**
 * Returns the vectors of a deployment: in the Vectorize index bound as `VECTORIZE`, else in the Durable Objects bound
 * as `VECTORS`. Without either binding every use fails with `unavailable`.
 */
export function boundVectors(env: PartEnv): VectorStores {
  let vectors = known.get(env);
  if (vectors === undefined) known.set(env, (vectors = choose(env)));
  return vectors;
}

function choose(env: PartEnv): VectorStores {
  if (env.VECTORIZE !== undefined) return vectorizeVectors(env);
  if (env.VECTORS !== undefined) return durableVectors(env);
  return {
    open: () => {
      throw new EngineError(
        "unavailable",
        "memory and knowledge need vectors: wrangler.toml must bind the Durable Object class VectorIndex as VECTORS, or a Vectorize index as VECTORIZE",
      );
    },
  };
}
