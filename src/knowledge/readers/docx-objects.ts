// Pictures, charts, embedded files and fields of a form in a Word document.
import type { LossKind } from "../document-losses.ts";
import type { TextBuilder } from "../text-builder.ts";
import { isOn, valueOf } from "./docx-styles.ts";
import { attribute, type Attributes } from "./markup.ts";

type Drawing = { alt: string; name: string; kind: LossKind | undefined };

type FormField = { readonly entries: string[]; chosen: string; isTicked: boolean };

const KINDS: Readonly<Record<string, LossKind>> = {
  pic: "picture",
  chart: "chart",
  relIds: "drawing",
};

export class DocxObjects {
  readonly #builder: TextBuilder;
  readonly #drawings: Drawing[] = [];
  #field: FormField | undefined;
  /** Number of open objects of other programs, which have a picture of their own. */
  #objects = 0;

  constructor(builder: TextBuilder) {
    this.#builder = builder;
  }

  open(name: string, attributes: Attributes): void {
    const drawing = this.#drawings.at(-1);
    if (name === "drawing") this.#drawings.push({ alt: "", name: "", kind: undefined });
    else if (name === "docPr" && drawing !== undefined) {
      drawing.alt = (attribute(attributes, "descr") ?? attribute(attributes, "title") ?? "").trim();
      drawing.name = attribute(attributes, "name") ?? "";
    } else if (drawing !== undefined && KINDS[name] !== undefined) drawing.kind ??= KINDS[name];
    else if (name === "object") this.#objects++;
    else if (name === "imagedata" && this.#objects === 0)
      this.#builder.lose("picture", { example: attribute(attributes, "title") });
    else if (name === "OLEObject") {
      const program = attribute(attributes, "ProgID") ?? "";
      const isEquation = program.startsWith("Equation");
      this.#builder.lose(isEquation ? "equation" : "embedded_file", { example: program });
    } else if (name === "altChunk") this.#builder.lose("embedded_file");
    else this.#openField(name, attributes);
  }

  /** Returns the text that stands for an object. */
  close(name: string): string {
    if (name === "object") this.#objects--;
    if (name === "drawing") {
      const { alt, name: label, kind } = this.#drawings.pop() ?? { alt: "", name: "" };
      if (kind !== undefined && alt !== "") return `[image: ${alt}]`;
      if (kind !== undefined) this.#builder.lose(kind, { example: label });
      return "";
    }
    const field = this.#field;
    if (field === undefined || (name !== "checkBox" && name !== "ddList")) return "";
    this.#field = undefined;
    if (name === "checkBox") return field.isTicked ? "[x]" : "[ ]";
    return field.entries[Number(field.chosen) || 0] ?? "";
  }

  #openField(name: string, attributes: Attributes): void {
    if (name === "checkBox" || name === "ddList")
      this.#field = { entries: [], chosen: "", isTicked: false };
    const field = this.#field;
    if (field === undefined) return;
    if (name === "checked" || name === "default") field.isTicked = isOn(attributes);
    if (name === "result" || (name === "default" && field.chosen === ""))
      field.chosen = valueOf(attributes);
    if (name === "listEntry") field.entries.push(valueOf(attributes));
  }
}
