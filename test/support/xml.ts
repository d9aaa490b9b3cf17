// A strict reader of XML documents: what it takes is well-formed.

export type XmlElement = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: ReadonlyArray<XmlElement | string>;
};

const TOKEN =
  /<\/(?<end>[A-Za-z][\w:-]*)>|<(?<start>[A-Za-z][\w:-]*)(?<attributes>(?:\s+[A-Za-z][\w:-]*="[^"<]*")*)\s*(?<empty>\/?)>|(?<text>[^<]+)/gy;
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/u;

/** The root of a document. Throws what is wrong, with the place. */
export function parseXml(source: string): XmlElement {
  if (UNWRITABLE.test(source)) throw new Error("holds characters that XML has not");
  const root = { name: "", attributes: {}, children: [] as Array<XmlElement | string> };
  const open: Array<typeof root> = [root];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const at = TOKEN.lastIndex;
    const groups = TOKEN.exec(source)?.groups;
    if (groups === undefined) throw new Error(`no markup: ${source.slice(at, at + 60)}`);
    const { end, start, attributes = "", empty, text } = groups;
    const inner = open.at(-1);
    if (inner === undefined) throw new Error(`nothing is open at ${at}`);
    if (text !== undefined) inner.children.push(decoded(text));
    if (end !== undefined) {
      if (inner.name !== end) throw new Error(`</${end}> ends <${inner.name}> at ${at}`);
      open.pop();
    }
    if (start === undefined) continue;
    const pairs = [...attributes.matchAll(/([\w:-]+)="([^"]*)"/g)];
    const names = pairs.map(([, name]) => name);
    if (new Set(names).size < names.length) throw new Error(`an attribute twice at ${at}`);
    const element = {
      name: start,
      attributes: Object.fromEntries(
        pairs.map(([, name = "", value = ""]) => [name, decoded(value)]),
      ),
      children: [],
    };
    inner.children.push(element);
    if (empty === "") open.push(element);
  }
  const [only, ...others] = root.children;
  if (open.length !== 1 || others.length > 0 || typeof only !== "object")
    throw new Error("is not one element");
  return only;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  "#39": "'",
};

function decoded(text: string): string {
  return text.replace(/&([^;&\s]{0,8};?)/g, (whole, entity: string) => {
    const meant = entity.endsWith(";") ? ENTITIES[entity.slice(0, -1)] : undefined;
    if (meant === undefined) throw new Error(`no entity: ${whole}`);
    return meant;
  });
}

/** All elements within one, itself included. */
export function* elementsIn(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) if (typeof child !== "string") yield* elementsIn(child);
}

/** All text within an element. */
export function textIn(element: XmlElement): string {
  return element.children
    .map((child) => (typeof child === "string" ? child : textIn(child)))
    .join("");
}
