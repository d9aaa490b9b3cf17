// Digits of number formats: groups, decimals, percents, scales, exponents and fractions.
import type { FormatToken } from "./format-tokens.ts";

type Shown = (value: number) => string;

const isComma = ({ kind }: FormatToken): boolean => kind === "comma";
const isDigit = ({ kind }: FormatToken): boolean => kind === "digit";

/** Returns the section as a number; `general` shows numbers where the format names no digits. */
export function numberSection(tokens: readonly FormatToken[], general: Shown): Shown {
  const isOf = (kind: FormatToken["kind"]) => tokens.some((token) => token.kind === kind);
  if (isOf("general") || isOf("text"))
    return (value) =>
      around(tokens, (kind) => kind === "general" || kind === "text", general(value));
  const digits = tokens.filter(({ kind }) => kind === "digit").length;
  if (digits === 0) return (value) => (tokens.length === 0 ? "" : sign(value) + literals(tokens));
  if (isOf("exponent")) return exponential(tokens);
  const slash = tokens.findIndex(({ kind }) => kind === "slash");
  if (slash > 0 && tokens.slice(0, slash).some(({ kind }) => kind === "digit") && !isOf("point"))
    return fraction(tokens, slash);
  return decimal(tokens);
}

const sign = (value: number): string => (value < 0 ? "-" : "");

function literals(tokens: readonly FormatToken[]): string {
  return tokens
    .map(({ kind, text }) => (["literal", "point", "slash", "percent"].includes(kind) ? text : ""))
    .join("");
}

function around(
  tokens: readonly FormatToken[],
  isPlace: (kind: FormatToken["kind"]) => boolean,
  shown: string,
): string {
  return tokens
    .map(({ kind, text }) => (isPlace(kind) ? shown : kind === "literal" ? text : ""))
    .join("");
}

/** Rounds half up, as decimal digits: `[whole, fraction]`. */
function rounded(value: number, decimals: number): readonly [string, string] {
  const plain = Number(Math.abs(value).toPrecision(15));
  if (plain >= 1e15) {
    const [digits = "", exponent = "0"] = plain.toExponential(14).split("e");
    const whole = digits.replace(".", "").padEnd(Math.min(Number(exponent), 400) + 1, "0");
    return [whole, "0".repeat(decimals)];
  }
  const [mantissa = "0", exponent = "0"] = plain.toString().split("e");
  const scaled = Math.round(Number(`${mantissa}e${Number(exponent) + decimals}`));
  const digits =
    scaled < 1e21
      ? BigInt(scaled)
          .toString()
          .padStart(decimals + 1, "0")
      : "0";
  return decimals === 0 ? [digits, ""] : [digits.slice(0, -decimals), digits.slice(-decimals)];
}

/** Decimals shown at most; Excel allows 30. */
const MAX_DECIMALS = 30;

function decimal(tokens: readonly FormatToken[]): Shown {
  const point = tokens.findIndex(({ kind }) => kind === "point");
  const whole = point === -1 ? tokens : tokens.slice(0, point);
  const after = point === -1 ? [] : tokens.slice(point + 1);
  const last = whole.findLastIndex(({ kind }) => kind === "digit");
  const first = whole.findIndex(({ kind }) => kind === "digit");
  const isGrouped = whole.slice(Math.max(0, first), last).some(isComma);
  const thousands = [...whole.slice(last + 1), ...after].filter(isComma).length;
  const percents = tokens.filter(({ kind }) => kind === "percent").length;
  const scale = 100 ** percents / 1000 ** thousands;
  const places = after.filter(({ kind }) => kind === "digit").slice(0, MAX_DECIMALS);
  return (value) => {
    const [integer, decimals] = rounded(value * scale, places.length);
    const isZero = !/[1-9]/.test(integer + decimals);
    const shown = integerIn(whole, integer.replace(/^0+/, ""), isGrouped);
    return (isZero ? "" : sign(value)) + shown + decimalsIn(after, decimals);
  };
}

/** Puts digits into the places of a format, from the right; the first place has all further ones. */
function integerIn(tokens: readonly FormatToken[], digits: string, isGrouped: boolean): string {
  const first = tokens.findIndex(({ kind }) => kind === "digit");
  const pieces: string[] = [];
  let left = digits.length;
  let written = 0;
  const write = (digit: string): void => {
    if (isGrouped && written > 0 && written % 3 === 0) pieces.push(",");
    pieces.push(digit);
    written++;
  };
  for (let index = tokens.length - 1; index >= 0; index--) {
    const { kind, text } = tokens[index] as FormatToken;
    if (kind === "literal" || kind === "percent" || kind === "slash") pieces.push(text);
    if (kind !== "digit") continue;
    if (left > 0) write(digits[--left] as string);
    else if (text === "0") write("0");
    if (index === first) while (left > 0) write(digits[--left] as string);
  }
  if (first === -1) pieces.push(Array.from(digits).toReversed().join(""));
  return pieces.toReversed().join("");
}

function decimalsIn(tokens: readonly FormatToken[], decimals: string): string {
  const places = tokens.filter(({ kind }) => kind === "digit");
  let shown = decimals.length;
  while (shown > 0 && decimals[shown - 1] === "0" && places[shown - 1]?.text !== "0") shown--;
  let at = 0;
  const pieces = tokens.map(({ kind, text }) => {
    if (kind === "literal" || kind === "percent" || kind === "slash") return text;
    return kind === "digit" && at++ < shown ? decimals[at - 1] : "";
  });
  return (shown > 0 ? "." : "") + pieces.join("");
}

/** `0.00E+00`; with several digits before the point, the exponent is a multiple of their number. */
function exponential(tokens: readonly FormatToken[]): Shown {
  const at = tokens.findIndex(({ kind }) => kind === "exponent");
  const [mantissa, rest] = [tokens.slice(0, at), tokens.slice(at + 1)];
  const point = mantissa.findIndex(({ kind }) => kind === "point");
  const before = (point === -1 ? mantissa : mantissa.slice(0, point)).filter(isDigit).length;
  const decimals = point === -1 ? 0 : mantissa.slice(point).filter(isDigit).length;
  const step = Math.max(1, before);
  const show = decimal(mantissa);
  const isSigned = tokens[at]?.text.endsWith("+") === true;
  const exponentOf = (value: number): number => {
    if (value === 0) return 0;
    const exact = Number(Math.abs(value).toExponential(14).split("e")[1]);
    return Math.floor(exact / step) * step;
  };
  return (value) => {
    let exponent = exponentOf(value);
    let scaled = value / 10 ** exponent;
    if (Number(rounded(scaled, decimals)[0]) >= 10 ** step) {
      exponent += step;
      scaled = value / 10 ** exponent;
    }
    const digits = integerIn(rest, String(Math.abs(exponent)), false);
    return `${show(scaled)}E${exponent < 0 ? "-" : isSigned ? "+" : ""}${digits}`;
  };
}

/** `# ?/?`, or with a fixed denominator `# ?/8`. */
function fraction(tokens: readonly FormatToken[], slash: number): Shown {
  const lower = tokens.slice(slash + 1);
  const fixed = /^\d+/.exec(lower.map(({ text }) => text).join(""))?.[0];
  const places = lower.filter(({ kind }) => kind === "digit").length;
  const denominator = fixed === undefined || /^0+$/.test(fixed) ? undefined : Number(fixed);
  // A place before a blank is for the whole number.
  const before = tokens.slice(0, slash);
  const blank = before.findLastIndex(({ kind, text }) => kind === "literal" && text.trim() === "");
  const hasWhole = before.slice(0, Math.max(0, blank)).some(({ kind }) => kind === "digit");
  return (value) => {
    const size = Number(Math.abs(value).toPrecision(15));
    let whole = hasWhole ? Math.floor(size) : 0;
    const rest = size - whole;
    let [over, under] =
      denominator === undefined
        ? nearest(rest, 10 ** Math.min(places, 7) - 1)
        : [Math.round(rest * denominator), denominator];
    if (hasWhole && over === under) [whole, over] = [whole + 1, 0];
    const shown =
      hasWhole && over === 0 ? String(whole) : `${whole > 0 ? `${whole} ` : ""}${over}/${under}`;
    return (whole === 0 && over === 0 ? "" : sign(value)) + shown;
  };
}

/** Returns the nearest fraction with a denominator of at most `most`, by continued fractions. */
function nearest(value: number, most: number): readonly [number, number] {
  let [above, before] = [1, 0];
  let [below, under] = [0, 1];
  let rest = value;
  for (let step = 0; step < 40; step++) {
    const whole = Math.floor(rest);
    const nextBelow = whole * below + under;
    if (nextBelow > most) {
      // The best one between two convergents.
      const part = below === 0 ? 0 : Math.floor((most - under) / below);
      const other = [part * above + before, part * below + under] as const;
      const isCloser =
        below === 0 ||
        (other[1] > 0 && Math.abs(other[0] / other[1] - value) < Math.abs(above / below - value));
      return isCloser ? other : [above, below];
    }
    [before, above] = [above, whole * above + before];
    [under, below] = [below, nextBelow];
    if (rest - whole < 1e-10) break;
    rest = 1 / (rest - whole);
  }
  return [above, below];
}
