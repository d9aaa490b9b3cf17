import { EngineError } from "../base/error.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { MemoryOrder, MemoryService } from "../memory/memory-service.ts";
import type { MemoryView } from "../memory/memory-view.ts";
import { notKept } from "./agent-sources.ts";
import type { MemoryGiven, MemoryKit } from "./memory-kit.ts";

/** The memory that a definition names; undefined for none. Throws `invalid_definition` where it cannot be had. */
export function memoryGiven(
  { services }: Pick<RunScope, "services">,
  given: MemoryGiven | undefined,
  { label, ...order }: MemoryOrder & { readonly label: string },
): MemoryView | undefined {
  if (given === undefined || given === false) return undefined;
  if (given !== true && "inRun" in given) return given;
  const { create } = (services.memory ?? {}) as Partial<MemoryService>;
  if (create === undefined) throw notKept(label, "memory");
  return create({ ...order, settings: given === true ? {} : given });
}

/** What comes along with a memory. Throws `invalid_definition` for one that nothing comes with. */
export function memoryKitOf({ kit }: MemoryView): MemoryKit {
  if (kit !== undefined) return kit as MemoryKit;
  throw new EngineError(
    "invalid_definition",
    "memory must be a Memory of edgecrew/memory, or a part of one",
  );
}
