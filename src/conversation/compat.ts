/** Selects AG2 0.14's behaviour where it differs from this library's default. */
export type Compat = "ag2-0.14";
