import { attribute, type Attributes } from "./markup.ts";
import type { OfficeFile } from "./office-file.ts";

export const valueOf = (attributes: Attributes): string => attribute(attributes, "val") ?? "";

/** Returns true unless a property is turned off. */
export function isOn(attributes: Attributes): boolean {
  return !/^(?:0|false|off|none)$/i.test(valueOf(attributes));
}

/** Look of paragraphs or letters of a style, as far as their text depends on it. */
export type DocxStyle = {
  /** Level of a heading. */
  level?: number;
  isHidden?: boolean;
  /** Numbered list of its paragraphs. */
  list?: string;
  listLevel?: number;
  font?: string;
};

/** Maximum number of styles between a style and its last base. */
const MAX_BASES = 20;

/** Returns the styles by id. Names of styles are English in every file, their ids are not. */
export async function docxStyles(
  file: OfficeFile,
  part: string | undefined,
): Promise<ReadonlyMap<string, DocxStyle>> {
  const own = new Map<string, DocxStyle>();
  const bases = new Map<string, string>();
  let id = "";
  let style: DocxStyle = {};
  await file.read(part, {
    open: (name, attributes) => {
      const value = valueOf(attributes);
      if (name === "style") {
        id = attribute(attributes, "styleId") ?? "";
        own.set(id, (style = {}));
      } else if (name === "name") {
        const level = /^(?:heading ([1-6])|title)$/i.exec(value);
        if (level !== null) style.level = Number(level[1] ?? 1);
      } else if (name === "outlineLvl" && Number(value) < 6) style.level = Number(value) + 1;
      else if (name === "basedOn") bases.set(id, value);
      else if (name === "numId") style.list = value;
      else if (name === "ilvl") style.listLevel = Number(value) || 0;
      else if (name === "vanish") style.isHidden = isOn(attributes);
      else if (name === "rFonts") style.font = attribute(attributes, "ascii") ?? "";
    },
  });
  const whole = new Map<string, DocxStyle>();
  for (const each of own.keys()) {
    const chain: DocxStyle[] = [];
    for (let at: string | undefined = each; at !== undefined; at = bases.get(at)) {
      if (chain.length > MAX_BASES) break;
      chain.unshift(own.get(at) ?? {});
    }
    whole.set(each, Object.assign({}, ...chain) as DocxStyle);
  }
  return whole;
}
