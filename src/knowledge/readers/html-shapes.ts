export type Shape = {
  /** Set for elements outside of the visible text. */
  readonly isUnseen?: true;
  /** Set for menus and controls. */
  readonly isControl?: true;
  /** Set for blocks: a line of its own, with (2) or without (1) a blank line around it. */
  readonly breaks?: 1 | 2;
  /** Level of a heading. */
  readonly level?: number;
};

const INLINE: Shape = {};
const SHAPES = shapes({
  "head script style noscript template svg iframe object canvas noembed noframes annotation annotation-xml rp":
    {
      isUnseen: true,
    },
  "button select textarea audio video": { isControl: true },
  "nav dialog": { isControl: true, breaks: 1 },
  "address article aside blockquote details dl fieldset figure footer form header hgroup main p section ul ol hr center":
    { breaks: 2 },
  "div br dt dd figcaption legend summary caption option body search menu": { breaks: 1 },
  h1: { level: 1 },
  h2: { level: 2 },
  h3: { level: 3 },
  h4: { level: 4 },
  h5: { level: 5 },
  h6: { level: 6 },
});

/** Returns the role of an element in the text of a page. */
export function shapeOf(name: string): Shape {
  return SHAPES.get(name) ?? INLINE;
}

function shapes(byNames: Readonly<Record<string, Shape>>): ReadonlyMap<string, Shape> {
  return new Map(
    Object.entries(byNames).flatMap(([names, shape]) =>
      names.split(" ").map((name): [string, Shape] => [name, shape]),
    ),
  );
}
