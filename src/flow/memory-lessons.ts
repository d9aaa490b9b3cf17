import type { LessonStore } from "../base/lesson-store.ts";
import type { MemoryView } from "../memory/memory-view.ts";

const MAX_LESSONS = 10;
const MAX_SEARCHED = 40;

/** Lessons of people's feedback, kept in a memory: private to their source, so that no other recall comes upon them. */
export function memoryLessons(memory: MemoryView): LessonStore {
  return {
    recall: async (query, source) => {
      const found = await memory.recall(query, { source, limit: MAX_SEARCHED });
      return found
        .filter(({ record }) => record.source === source)
        .slice(0, MAX_LESSONS)
        .map(({ record }) => record.content);
    },
    remember: async (lessons, source) => {
      await memory.rememberMany(lessons, { source, private: true });
      await memory.drainWrites();
    },
  };
}
