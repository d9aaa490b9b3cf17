// Regular expressions that came as data, in a time that grows with the text and not faster.
//
// The runtime's own engine tries one way after the other, and a pattern can make it take forever. These are read here
// (linear-syntax.ts) and followed all ways at once (linear-program.ts); what a character is stays the runtime's to say.
import { hasMatch, programOf } from "./linear-program.ts";
import { linearSpans, type Span } from "./linear-spans.ts";
import { readPattern } from "./linear-syntax.ts";

export type LinearPattern = {
  /** `spend` is told how many steps were followed while it looks, and may throw. */
  readonly test: (text: string, spend?: (followed: number) => void) => boolean;
  /** Where it matches: see linear-spans.ts. */
  readonly spans: (text: string) => readonly Span[];
};

const MAX_PATTERN_LENGTH = 4_096;
/** Each character of a text may cost as many steps. */
const MAX_SIZE = 3_000;
const MAX_KNOWN = 256;

/** `null` where there is none. */
const known = new Map<string, LinearPattern | null>();

/**
 * Reads a pattern of JavaScript's. Undefined for one that has no linear form (look-around, back references), or is too long: 4,096
 * characters, or repetitions that come to more than 3,000 steps.
 */
export function linearPattern(pattern: string): LinearPattern | undefined {
  let found = known.get(pattern);
  if (found === undefined) {
    found = compiled(pattern) ?? null;
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(pattern, found);
  }
  return found ?? undefined;
}

function compiled(pattern: string): LinearPattern | undefined {
  if (pattern.length > MAX_PATTERN_LENGTH) return undefined;
  try {
    const expression = readPattern(pattern);
    if (expression.size > MAX_SIZE) return undefined;
    const program = programOf(expression);
    return {
      test: (text, spend) => hasMatch(program, text, spend),
      spans: (text) => (hasMatch(program, text) ? linearSpans(program, text) : []),
    };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
