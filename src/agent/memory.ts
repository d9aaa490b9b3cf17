import type { MemoryOptions } from "../memory/memory-options.ts";
import { UnifiedMemory } from "../memory/unified-memory.ts";
import { memoryKit } from "./memory-at-work.ts";
import { memoryModel } from "./memory-model.ts";

/**
 * What agents remember from one run to the next: saved with the help of a model that files it, recalled by meaning, age and importance.
 *
 * In a run every call is journaled. In a process of its own, a memory without `storage` lasts as long as this object.
 */
export class Memory extends UnifiedMemory {
  /** Throws `invalid_definition` for options that cannot work. */
  constructor(options: MemoryOptions = {}) {
    super(options, { ask: memoryModel, kit: memoryKit });
  }
}
