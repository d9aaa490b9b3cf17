// Numbers of list items, as a page shows them.
import { letterNumber, romanNumber } from "./list-numbers.ts";
import { attributeIn } from "./html-scanner.ts";

export type HtmlList = {
  readonly style: string;
  readonly step: 1 | -1;
  /** Number of the next item; undefined for an unordered list, or for one that counts down from its length. */
  next: number | undefined;
};

export function htmlList(name: string, source: string): HtmlList {
  if (name !== "ol") return { style: "", step: 1, next: undefined };
  const isReversed = attributeIn(source, "reversed") !== undefined;
  const start = numberIn(source, "start");
  return {
    style: attributeIn(source, "type") ?? "1",
    step: isReversed ? -1 : 1,
    next: start ?? (isReversed ? undefined : 1),
  };
}

/** Returns the mark of the next item: its number, or a dash. */
export function itemMark(list: HtmlList | undefined, source: string): string {
  const number = numberIn(source, "value") ?? list?.next;
  if (list === undefined || list.style === "" || number === undefined) return "-";
  list.next = number + list.step;
  return `${numberText(number, list.style)}.`;
}

function numberText(number: number, style: string): string {
  switch (style) {
    case "a":
      return letterNumber(number);
    case "A":
      return letterNumber(number).toUpperCase();
    case "i":
      return romanNumber(number).toLowerCase();
    case "I":
      return romanNumber(number);
    default:
      return String(number);
  }
}

function numberIn(source: string, name: string): number | undefined {
  const found = /^\s*([+-]?\d{1,9})/.exec(attributeIn(source, name) ?? "")?.[1];
  return found === undefined ? undefined : Number(found);
}
