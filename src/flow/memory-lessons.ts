import type { MemoryView } from "../memory/memory-view.ts";

const MAX_LESSONS = 10;
const MAX_SEARCHED = 40;

/**
 * Returns a `LessonStore` of flows in a memory. Lessons are private to their source, so other recalls do not find them.
 */
export function memoryLessons(memory: MemoryView) {
  return {
    recall: async (query: string, source: string): Promise<readonly string[]> => {
      const found = await memory.recall(query, { source, limit: MAX_SEARCHED });
      return found
        .filter(({ record }) => record.source === source)
        .slice(0, MAX_LESSONS)
        .map(({ record }) => record.content);
    },
    remember: async (lessons: readonly string[], source: string): Promise<void> => {
      await memory.rememberMany(lessons, { source, private: true });
      await memory.drainWrites();
    },
  };
}
