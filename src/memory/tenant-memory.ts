import type { MemoryService } from "./memory-service.ts";
import type { MemoryListener } from "./memory-steps.ts";
import type { Memory } from "./memory.ts";

/** A tenant's memory as used by the API. */
export type TenantMemory = {
  readonly service: MemoryService;
  /** Opens the whole memory outside of runs. */
  readonly open: (listener?: MemoryListener) => Memory;
};
