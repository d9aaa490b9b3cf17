/** Lessons from people's feedback, for later work. */
export interface LessonStore {
  /** Returns lessons of a source related to a question, the most useful first. */
  recall(query: string, source: string): Promise<readonly string[]>;
  /** Stores lessons; repeated ones change nothing. */
  remember(lessons: readonly string[], source: string): Promise<void>;
}

declare module "../events/run-services.ts" {
  interface RunServices {
    /** Lessons from people's feedback in flows. */
    readonly lessons?: LessonStore;
  }
}

/** Lessons in this process: the newest of each source, for any question. */
export class InMemoryLessons implements LessonStore {
  readonly #lessons = new Map<string, readonly string[]>();

  async recall(_: string, source: string): Promise<readonly string[]> {
    return (this.#lessons.get(source) ?? []).slice(-MAX_RECALLED).toReversed();
  }

  async remember(lessons: readonly string[], source: string): Promise<void> {
    const before = this.#lessons.get(source) ?? [];
    const known = before.filter((lesson) => !lessons.includes(lesson));
    this.#lessons.set(source, [...known, ...new Set(lessons)]);
  }
}

const MAX_RECALLED = 10;
