// Sizes of the drawn elements, and the parts of their texts that fit.
import type { DiagramNode, LabelNode, MethodNode } from "./diagram.ts";
import type { Size } from "../../graph/graph-layout.ts";
import { subtitleOf } from "./method-facts.ts";
import { cut, textWidth, wrapName, type Fit } from "./text.ts";

/** The longest texts on a card and on a label, in pixels. */
const MAX_TEXT = 196;
const NAME: Fit = { size: 13, font: "mono", width: MAX_TEXT };
const SUBTITLE: Fit = { size: 11, font: "sans", width: MAX_TEXT };
const LABEL: Fit = { size: 11.5, font: "mono", width: MAX_TEXT };
const MIN_WIDTH = 116;
/** Width for the longest state of a run and its time. */
const MIN_STATE = 128;
const STATE_HEIGHT = 24;
/** Part of the join sign above the card. */
const JOIN_ABOVE = 11;

export const PAD = 12;
export const TILE = 24;
export const TEXT_LEFT = PAD + TILE + 9;
export const LINE = 16;
/** The sign of a join. */
export const JOIN: Size = { width: 34, height: 16 };

export type Card = Size & {
  /** The name, in lines. */
  readonly names: readonly string[];
  readonly subtitle: string;
  /** Top of the card, below the join sign. */
  readonly top: number;
};

/** Returns a method's card; `isRun` adds room for its state in a run. */
export function cardOf(node: MethodNode, isRun: boolean): Card {
  const names = wrapName(node.name, NAME, 2);
  const subtitle = cut(subtitleOf(node), SUBTITLE);
  const text = Math.max(
    ...names.map((line) => textWidth(line, NAME)),
    textWidth(subtitle, SUBTITLE),
    isRun ? MIN_STATE : 0,
  );
  const lines = names.length * LINE + (subtitle === "" ? 0 : LINE - 1);
  return {
    names,
    subtitle,
    width: Math.ceil(Math.max(MIN_WIDTH, TEXT_LEFT + text + PAD)),
    height: Math.max(lines, TILE) + 18 + (isRun ? STATE_HEIGHT : 0),
    top: node.join === undefined ? 0 : JOIN_ABOVE,
  };
}

/** Returns the written form of a label. */
export function labelText({ label }: LabelNode): string {
  return label === undefined ? "?" : cut(label, LABEL);
}

/** Returns the size of an element in the picture. */
export function sizeOf(node: DiagramNode, card: Card | undefined, isRun: boolean): Size {
  switch (node.kind) {
    case "method":
      return { width: card?.width ?? 0, height: (card?.height ?? 0) + (card?.top ?? 0) };
    case "label": {
      const often = isRun ? 20 : 0; // room for the number of returns
      return { width: Math.max(36, textWidth(labelText(node), LABEL) + 22 + often), height: 22 };
    }
    case "gate":
      return JOIN;
    default:
      return node satisfies never;
  }
}
