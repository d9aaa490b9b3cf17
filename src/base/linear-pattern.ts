// Regular expressions from data, in time linear in the length of the text.
//
// The runtime's own engine tries one path after the other, and a pattern can make it run forever. Here patterns are
// parsed (linear-syntax.ts) and all paths are followed at once (linear-program.ts). Character tests still use the
// runtime.
import { hasMatch, programOf } from "./linear-program.ts";
import { linearSpans, type Span } from "./linear-spans.ts";
import { readPattern, type Dialect } from "./linear-syntax.ts";

export type LinearPattern = {
  /** Tests a text. Calls `spend` with the number of steps followed; `spend` may throw. */
  readonly test: (text: string, spend?: (followed: number) => void) => boolean;
  /** Places of matches: see linear-spans.ts. */
  readonly spans: (text: string) => readonly Span[];
};

const MAX_PATTERN_LENGTH = 4_096;
/** Each character of a text may cost as many steps. */
const MAX_SIZE = 3_000;
const MAX_KNOWN = 256;

/** Patterns by dialect and source; `null` for patterns without a linear form. */
const known = new Map<string, LinearPattern | null>();

/**
 * Compiles a JavaScript pattern. Returns undefined for a pattern without a linear form (look-around, back references),
 * longer than 4,096 characters, or with repetitions of more than 3,000 steps in total.
 */
export function linearPattern(pattern: string): LinearPattern | undefined {
  let found = known.get(pattern);
  if (found === undefined) {
    found = compiled(pattern) ?? null;
    remember(pattern, found);
  }
  return found ?? undefined;
}

/** Compiles a pattern of RE2, as CEL has them. Throws a `SyntaxError` for a pattern that RE2 or the limits refuse. */
export function re2Pattern(pattern: string): LinearPattern {
  const key = `re2:${pattern}`;
  let found = known.get(key) ?? undefined;
  if (found === undefined) remember(key, (found = compile(pattern, "re2")));
  return found;
}

function remember(key: string, pattern: LinearPattern | null): void {
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, pattern);
}

function compiled(pattern: string): LinearPattern | undefined {
  try {
    return compile(pattern, "javascript");
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function compile(pattern: string, dialect: Dialect): LinearPattern {
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw new SyntaxError(`it is longer than ${MAX_PATTERN_LENGTH} characters`);
  const expression = readPattern(pattern, dialect);
  if (expression.size > MAX_SIZE) throw new SyntaxError("its repetitions are too large");
  const program = programOf(expression);
  return {
    test: (text, spend) => hasMatch(program, text, spend),
    spans: (text) => (hasMatch(program, text) ? linearSpans(program, text) : []),
  };
}
