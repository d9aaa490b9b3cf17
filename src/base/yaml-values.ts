// What YAML's scalars are by the core schema of YAML 1.2, in which `yes`, `on` and dates are texts.

const OWN = "tag:yaml.org,2002:";

const INTEGER = /^(?:[-+]?\d+|0o[0-7]+|0x[\dA-Fa-f]+)$/;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[Ee][-+]?\d+)?$/;
const INFINITE = /^[-+]?\.(?:inf|Inf|INF)$/;
const NAN = /^\.(?:nan|NaN|NAN)$/;

type Reading = (text: string) => unknown;

/** Each is undefined for a text that is none. */
const READINGS: ReadonlyMap<string, Reading> = new Map<string, Reading>([
  ["null", (text) => (/^(?:~|null|Null|NULL|)$/.test(text) ? null : undefined)],
  [
    "bool",
    (text) =>
      /^(?:true|True|TRUE)$/.test(text)
        ? true
        : /^(?:false|False|FALSE)$/.test(text)
          ? false
          : undefined,
  ],
  ["int", (text) => (INTEGER.test(text) ? Number(text) : undefined)],
  [
    "float",
    (text) => {
      if (FLOAT.test(text)) return Number(text);
      if (INFINITE.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
      return NAN.test(text) ? Number.NaN : undefined;
    },
  ],
]);

/** The value of a plain text. */
export function plainValue(text: string): unknown {
  for (const read of READINGS.values()) {
    const value = read(text);
    if (value !== undefined) return value;
  }
  return text;
}

/** The value of a text with a tag; undefined where the tag is not known or the text is not what it says. */
export function taggedValue(tag: string, text: string): unknown {
  if (tag === "!" || tag === `${OWN}str`) return text;
  return tag.startsWith(OWN) ? READINGS.get(tag.slice(OWN.length))?.(text) : undefined;
}

/** The tags of a document, in full. */
export class Tags {
  readonly #prefixes = new Map([["!!", OWN]]);

  /** `%TAG ! …` */
  add(handle: string, prefix: string): void {
    this.#prefixes.set(handle, prefix);
  }

  /** `!!str` in full; undefined where nothing says what the handle stands for. */
  full(written: string): string | undefined {
    const verbatim = /^!<(.*)>$/.exec(written)?.[1];
    if (verbatim !== undefined || written === "!") return verbatim ?? written;
    const [, handle = "", name = ""] = /^(!(?:[\w-]*!)?)(.*)$/.exec(written) ?? [];
    const prefix = this.#prefixes.get(handle) ?? (handle === "!" ? handle : undefined);
    return prefix === undefined ? undefined : prefix + name;
  }
}

/** Whether a list or a mapping may have the tag. */
export function isCollectionTag(tag: string, kind: "sequence" | "mapping"): boolean {
  return tag === "!" || tag === `${OWN}${kind.slice(0, 3)}`;
}
