// A walk through a page by Tab alone, from its beginning round to it again.
import type { Page } from "playwright-core";

/** Controls reached, and what is wrong with them, each as a line. */
export type TabWalk = { readonly reached: number; readonly faults: readonly string[] };

/** More than any page of a test has. */
const MOST_STEPS = 600;

/** Presses Tab until the first control has the focus again. */
export async function walkByTab(page: Page): Promise<TabWalk> {
  await page.evaluate(beginWalk);
  for (let step = 0; step < MOST_STEPS; step++) {
    if (await page.evaluate(isInEditor)) await page.keyboard.press("Escape"); // Tab indents there, as its label says
    await page.keyboard.press("Tab");
    if (await page.evaluate(noteStep)) return page.evaluate(endWalk);
  }
  const { reached, faults } = await page.evaluate(endWalk);
  return { reached, faults: [...faults, "the focus does not come round"] };
}

type Walk = {
  readonly reached: Set<Element>;
  readonly faults: string[];
  last: { readonly element: Element; readonly looks: string } | undefined;
};

type Walked = { walk: Walk };

function beginWalk(): void {
  (document.activeElement as HTMLElement | null)?.blur();
  getSelection()?.removeAllRanges();
  (globalThis as unknown as Walked).walk = { reached: new Set(), faults: [], last: undefined };
}

function isInEditor(): boolean {
  return document.activeElement?.shadowRoot?.activeElement?.matches(".cm-content") === true;
}

/** Notes the control with the focus. True if it was reached before. */
function noteStep(): boolean {
  const { walk } = globalThis as unknown as Walked;
  const named = (element: Element): string =>
    `${element.localName} "${(element.getAttribute("aria-label") ?? element.textContent).trim().slice(0, 40)}"`;
  const looksOf = (element: Element): string =>
    [
      element,
      element.closest("label"),
      element.querySelector("rect"),
      element.shadowRoot?.querySelector(".cm-editor"),
    ]
      .map((each) => {
        if (each == null) return "";
        const { outlineStyle, outlineWidth, boxShadow, borderColor, backgroundColor, stroke } =
          getComputedStyle(each);
        const { strokeWidth } = getComputedStyle(each);
        const outline = outlineStyle === "none" ? "" : `${outlineStyle} ${outlineWidth}`;
        return [outline, boxShadow, borderColor, backgroundColor, stroke, strokeWidth].join();
      })
      .join("|");
  const { last } = walk;
  // Fields of dates have several places to type in.
  if (last?.element === document.activeElement && last?.element.matches("[type=date]") === true)
    return false;
  if (last !== undefined && last.element.isConnected && looksOf(last.element) === last.looks)
    walk.faults.push(`${named(last.element)} looks the same with the focus`);
  walk.last = undefined;
  const element = document.activeElement;
  // The end of the document, from where Tab leads to its beginning.
  if (element === null || element === document.body) return walk.reached.size > 0;
  if (walk.reached.has(element)) {
    if (element !== walk.reached.values().next().value)
      walk.faults.push(`the focus comes back to ${named(element)} and not to the beginning`);
    return true;
  }
  walk.reached.add(element);
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const isInSight = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
  if (!isInSight) walk.faults.push(`${named(element)} has the focus out of sight`);
  if ((element as HTMLElement).tabIndex > 0)
    walk.faults.push(`${named(element)} has a place of its own in the order`);
  walk.last = { element, looks: looksOf(element) };
  return false;
}

function endWalk(): TabWalk {
  const { reached, faults } = (globalThis as unknown as Walked).walk;
  const isChecked = (element: Element): boolean =>
    !(element instanceof HTMLInputElement && element.type === "radio") || element.checked;
  const missed = [
    ...document.querySelectorAll(
      "a[href], button, input, select, textarea, summary, [tabindex='0'], [contenteditable=true]",
    ),
  ].filter(
    (element) =>
      !reached.has(element) &&
      (element as HTMLElement).tabIndex >= 0 &&
      !element.matches(":disabled") &&
      element.checkVisibility({ visibilityProperty: true }) &&
      isChecked(element), // of radio buttons, Tab reaches the checked one
  );
  return {
    reached: reached.size,
    faults: [
      ...faults,
      ...missed.map((element) => `Tab misses ${element.outerHTML.slice(0, 120)}`),
    ],
  };
}
