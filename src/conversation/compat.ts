/** Behaves like AG2 0.14 where that differs from what this library does by default. */
export type Compat = "ag2-0.14";
