// HTML's rules for elements, as far as reading a page needs them.

export type ElementRules = {
  /** Set for elements without content and end tag. */
  readonly isVoid?: true;
  /** End tag of a raw text element, in which no other tags are recognised. */
  readonly rawEnd?: RegExp;
  /** Set for blocks: the end of an inline element around it does not close it. */
  readonly isBlock?: true;
  readonly endsParagraph?: true;
  /** Set for elements of another language, where `/>` ends an element. */
  readonly isForeign?: true;
  /** Set for elements that end `svg` and `math`, since they cannot occur in them. */
  readonly isHtmlOnly?: true;
  /** Set for elements allowed in a `head`; all others end it. */
  readonly isOfHead?: true;
  /** Open elements that its start closes. */
  readonly closes?: ReadonlySet<string>;
  /** Its outer open elements stay open, for any element inside it. */
  readonly isBarrier?: true;
};

const names = (list: string): readonly string[] => list.split(" ");

const VOID = names("area base br col embed hr img input link meta param source track wbr");
const RAW = names("script style title textarea xmp iframe noembed noframes noscript");
const OF_HEAD = names("base link meta noscript script style template title");
const BLOCKS = names(
  "address article aside blockquote body button caption center colgroup dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html li listing main menu nav ol optgroup option p pre search section select summary table tbody td template tfoot th thead tr ul",
);
/** Elements, beside blocks, that exist only in HTML. */
const HTML_ONLY = names(
  "b big br code em i img meta nobr ruby s small span strike strong sub sup tt u var",
);
/** Block elements allowed in a paragraph. */
const IN_PARAGRAPHS = new Set(names("button body head html option optgroup select template td th"));
const CLOSES: Readonly<Record<string, string>> = {
  li: "li",
  dt: "dt dd",
  dd: "dt dd",
  option: "option",
  optgroup: "option optgroup",
  tr: "td th tr caption colgroup",
  td: "td th caption",
  th: "td th caption",
  thead: "td th tr tbody tfoot thead caption colgroup",
  tbody: "td th tr tbody tfoot thead caption colgroup",
  tfoot: "td th tr tbody tfoot thead caption colgroup",
  rp: "rp rt",
  rt: "rp rt",
  body: "head",
};
/** Outer limits for the elements that another element closes. */
const BARRIERS = names("table ul ol menu dl select ruby button template object html");

/** Elements with special rules. The others are inline. */
export const HTML_ELEMENTS: ReadonlyMap<string, ElementRules> = elements();

function elements(): ReadonlyMap<string, ElementRules> {
  const rules = new Map<string, ElementRules>();
  const add = (list: readonly string[], more: ElementRules): void => {
    for (const name of list) rules.set(name, { ...rules.get(name), ...more });
  };
  add(VOID, { isVoid: true });
  for (const name of RAW) add([name], { rawEnd: new RegExp(`</${name}(?=[\\s/>])`, "gi") });
  add(OF_HEAD, { isOfHead: true });
  add(BLOCKS, { isBlock: true });
  add(
    BLOCKS.filter((name) => !IN_PARAGRAPHS.has(name)),
    { endsParagraph: true },
  );
  add(BARRIERS, { isBarrier: true });
  add([...BLOCKS, ...HTML_ONLY], { isHtmlOnly: true });
  add(["svg", "math"], { isForeign: true, isBlock: true });
  add(["object"], { isBlock: true });
  for (const [name, closed] of Object.entries(CLOSES))
    add([name], { closes: new Set(names(closed)) });
  return rules;
}
