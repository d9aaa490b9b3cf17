// Numbers in the form for comparison.
import { foldText } from "./fold.ts";

const THOUSANDS = /^\d{1,3}(?:([.,'])\d{3})(?:\1\d{3})*$/;
const THOUSANDS_AND_DECIMALS = /^(\d{1,3}(?:([.,'])\d{3})+)([.,])(\d+)$/;
const DECIMALS = /^(\d+)[.,](\d+)$/;

/**
 * Returns the readings of digits with separators, the likeliest first: `1,500` is 1500, `1.500,50` is 1500.5, `29,90` is
 * 29.9. In a document `1.500` is also 1.5, and `29,90` also two columns of a table. Other groups of digits (versions,
 * addresses) are the whole and each group.
 */
export function numberForms(text: string): readonly string[] {
  if (!/[.,']/.test(text)) return [text];
  const columns = text.includes(",") ? text.split(",").flatMap(numberForms) : [];
  return [...singleForms(text, columns.length > 0), ...columns];
}

/** Returns the readings as one number. */
function singleForms(text: string, isList: boolean): readonly string[] {
  const both = THOUSANDS_AND_DECIMALS.exec(text);
  if (both !== null && both[2] !== both[3])
    return [decimal(digitsOf(both[1] ?? ""), both[4] ?? "")];
  const [, whole = "", part = ""] = DECIMALS.exec(text) ?? [];
  if (THOUSANDS.test(text) && !text.startsWith("0"))
    return whole === "" ? [digitsOf(text)] : [digitsOf(text), decimal(whole, part)];
  if (whole !== "") return [decimal(whole, part)];
  const groups = text.split(/[.,']/);
  return isList ? [groups.join(".")] : [groups.join("."), ...groups];
}

function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, "");
}

/** Returns a decimal without zeros at its end. */
function decimal(whole: string, part: string): string {
  const rest = part.replace(/0+$/, "");
  return rest === "" ? whole : `${whole}.${rest}`;
}

/** Numbers that are no part of a name; letters of scripts without spaces may stand beside them. */
const NUMBER =
  /(?<!(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}])[\p{L}\p{N}._-])-?\d+(?:[.,']\d+)*(?!(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}])[\p{L}\p{N}])/gu;

/** Returns the numbers of a text in order, in their likeliest reading: `-1,500.50` is -1500.5. */
export function numbersIn(text: string): readonly string[] {
  return (foldText(text).match(NUMBER) ?? []).flatMap((found) => {
    const [sign, digits] = found.startsWith("-") ? ["-", found.slice(1)] : ["", found];
    const [first = digits] = numberForms(digits);
    const isOne = /^\d+(?:\.\d+)?$/.test(first);
    return isOne ? [`${sign}${first}`] : digits.split(/[.,']/);
  });
}
