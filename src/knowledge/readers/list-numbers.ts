/** Returns the number as letters: a to z, then aa; numbers below 1 as digits. */
export function letterNumber(number: number): string {
  if (number < 1) return String(number);
  let letters = "";
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCodePoint(97 + ((rest - 1) % 26)) + letters;
  return letters;
}

const ROMAN: ReadonlyArray<readonly [value: number, letters: string]> = [
  [1000, "M"],
  [900, "CM"],
  [500, "D"],
  [400, "CD"],
  [100, "C"],
  [90, "XC"],
  [50, "L"],
  [40, "XL"],
  [10, "X"],
  [9, "IX"],
  [5, "V"],
  [4, "IV"],
  [1, "I"],
];

/** Returns the number in Roman numerals; numbers outside of 1 to 3999 as digits. */
export function romanNumber(number: number): string {
  if (number < 1 || number > 3999) return String(number);
  let letters = "";
  let rest = number;
  for (const [value, symbol] of ROMAN) for (; rest >= value; rest -= value) letters += symbol;
  return letters;
}
