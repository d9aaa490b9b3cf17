// Regular expressions that came as data, in a time that grows with the text and not faster.
import { RE2JS } from "@bufbuild/re2";
import { linearSpans, type Span } from "./linear-spans.ts";

export type LinearPattern = {
  readonly test: (text: string) => boolean;
  /** Where it matches: see linear-spans.ts. */
  readonly spans: (text: string) => readonly Span[];
  /** How many steps its program has: each character may cost as many. */
  readonly size: number;
};

const MAX_PATTERN_LENGTH = 4_096;
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
    const engine = RE2JS.compile(inItsSyntax(pattern));
    const program = engine.re2().prog;
    const size = program.numInst();
    if (size > MAX_SIZE) return undefined;
    return {
      size,
      test: (text) => engine.test(text),
      spans: (text) => (engine.test(text) ? linearSpans(program, text) : []),
    };
  } catch {
    return undefined;
  }
}

/** JavaScript's escapes of characters in the engine's syntax. */
function inItsSyntax(pattern: string): string {
  return pattern.replace(
    /\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|\\u\{([0-9a-f]+)\}|\\u([0-9a-f]{4})|\\(\/|-)|\\[\s\S]/gi,
    (escape: string, ...groups: (string | undefined)[]) => {
      const [high, low, braced, four, plain] = groups;
      if (high !== undefined && low !== undefined) {
        const pair = String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16));
        return `\\x{${(pair.codePointAt(0) ?? 0).toString(16)}}`;
      }
      const point = braced ?? four;
      if (point !== undefined) return `\\x{${point}}`;
      return plain === undefined ? escape : `\\x{${plain.charCodeAt(0).toString(16)}}`;
    },
  );
}
