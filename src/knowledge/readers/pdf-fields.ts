// Values of a PDF's forms, and texts typed onto its pages: annotations, which are no part of a page's content.
import type { LossKind, LossOptions } from "../document-losses.ts";
import type { PageItem } from "./pdf-items.ts";

/** Fields of an annotation, as the library for PDF yields them. */
export type Annotation = {
  readonly subtype?: string;
  readonly rect?: readonly number[];
  readonly fieldName?: string;
  readonly fieldType?: string | null;
  readonly fieldValue?: unknown;
  readonly alternativeText?: string;
  readonly checkBox?: boolean;
  readonly radioButton?: boolean;
  readonly pushButton?: boolean;
  readonly exportValue?: string;
  readonly buttonValue?: string | null;
  readonly options?: ReadonlyArray<{
    readonly exportValue?: string;
    readonly displayValue?: string;
  }>;
  readonly password?: boolean;
  readonly hidden?: boolean;
  readonly annotationFlags?: number;
  readonly contentsObj?: { readonly str?: string };
};

/** A value at its place on the page. */
export type FieldValue = {
  /** As shown beside a printed label. */
  readonly item: PageItem;
  /** As shown without a label. */
  readonly alone: string;
  readonly bottom: number;
  readonly top: number;
};

/** Flags of annotations that are not shown: hidden, or without a view. */
const UNSEEN = 2 | 32;
const MAX_VALUE = 10_000;

/** Returns the values of a page's fields; reports hidden ones and comments. */
export function fieldValues(
  annotations: readonly Annotation[],
  lose: (kind: LossKind, options?: LossOptions) => void,
): FieldValue[] {
  return annotations.flatMap((annotation) => {
    const { subtype, contentsObj, annotationFlags = 0, hidden, password } = annotation;
    const isUnseen = hidden === true || password === true || (annotationFlags & UNSEEN) !== 0;
    const typed = (contentsObj?.str ?? "").trim();
    if (subtype === "FileAttachment") lose("embedded_file", { example: typed });
    if (subtype !== "Widget" && subtype !== "FreeText") {
      if (subtype !== "Link" && subtype !== "Popup" && typed !== "")
        lose("comment", { example: typed });
      return [];
    }
    const value = subtype === "FreeText" ? typed : valueOf(annotation);
    if (value === undefined || value === "") return [];
    if (!isUnseen) return [placed(annotation, value.slice(0, MAX_VALUE))];
    lose("hidden", { example: nameOf(annotation) });
    return [];
  });
}

function valueOf(annotation: Annotation): string | undefined {
  const { fieldType, fieldValue, options = [], pushButton } = annotation;
  if (fieldType === "Btn") {
    if (pushButton === true) return undefined;
    return isTicked(annotation) ? "[x]" : "[ ]";
  }
  if (fieldType !== "Tx" && fieldType !== "Ch") return undefined;
  const values = [fieldValue].flat().filter((each): each is string => typeof each === "string");
  const shown = values.map(
    (each) => options.find(({ exportValue }) => exportValue === each)?.displayValue ?? each,
  );
  return shown.join(", ").replaceAll(/\s+/g, " ").trim();
}

function isTicked({ fieldValue, exportValue, buttonValue, radioButton }: Annotation): boolean {
  if (typeof fieldValue !== "string" || fieldValue === "Off") return false;
  return fieldValue === (radioButton === true ? buttonValue : exportValue);
}

/** Returns the name of a field for people: its title, or else the last part of its name. */
function nameOf({ alternativeText = "", fieldName = "" }: Annotation): string {
  const last = fieldName.slice(fieldName.lastIndexOf(".") + 1).replace(/\[\d+\]$/, "");
  return (alternativeText.trim() || last).slice(0, MAX_VALUE);
}

function placed(annotation: Annotation, value: string): FieldValue {
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = annotation.rect ?? [];
  const size = Math.max(4, Math.min(12, y1 - y0));
  const name = nameOf(annotation);
  const isTick = annotation.fieldType === "Btn";
  return {
    item: {
      text: isTick ? `${value} ` : ` ${value} `,
      x: x0,
      end: Math.max(x0, Math.min(x1, x0 + value.length * size)),
      y: (y0 + y1) / 2 - 0.3 * size,
      size,
      isFlat: true,
      endsLine: false,
      isActual: true,
    },
    alone: name === "" ? value : isTick ? `${value} ${name}` : `${name}: ${value}`,
    bottom: Math.min(y0, y1) - 0.3 * size,
    top: Math.max(y0, y1),
  };
}

/** Adds values to the lines of a page: beside the printed label at their height, or as lines of their own. */
export function withValues(
  lines: readonly PageItem[][],
  values: readonly FieldValue[],
): readonly PageItem[][] {
  if (values.length === 0) return lines;
  const all = lines.map((line) => [...line]);
  const middles = lines.map(([first]) => (first === undefined ? 0 : first.y + 0.3 * first.size));
  for (const { item, alone, bottom, top } of values) {
    const at = middles.findIndex((middle) => middle >= bottom && middle <= top);
    const line = all[at];
    if (line !== undefined) {
      const next = line.findIndex(({ x }) => x > item.x);
      line.splice(next === -1 ? line.length : next, 0, item);
      continue;
    }
    const below = middles.findIndex((middle) => middle < bottom);
    const place = below === -1 ? all.length : below;
    all.splice(place, 0, [{ ...item, text: alone }]);
    middles.splice(place, 0, item.y + 0.3 * item.size);
  }
  return all;
}
