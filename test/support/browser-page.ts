// The document of a browser, for components. Imported before React, which looks for one when it is loaded.
import { Window } from "happy-dom";

const window = new Window({ url: "http://page.test/" });

const PAGE: Readonly<Record<string, unknown>> = {
  window,
  document: window.document,
  sessionStorage: window.sessionStorage,
  location: window.location,
  history: window.history,
  HTMLElement: window.HTMLElement,
  IS_REACT_ACT_ENVIRONMENT: true,
};
/** What other files of tests in this process find. */
const before = new Map(
  Object.keys(PAGE).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]),
);
enterPage();

/** Makes the document global; it is so from the start, until `leavePage`. */
export function enterPage(): void {
  for (const [name, value] of Object.entries(PAGE))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

/** Files of tests share a process: code in those that follow is not in a browser. */
export function leavePage(): void {
  for (const [name, descriptor] of before)
    if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
    else Object.defineProperty(globalThis, name, descriptor);
}

/** An element that a component is drawn into. */
export type Drawn = { readonly textContent: string; readonly innerHTML: string };

/** As React takes it. Its type is React's own, which is not there without the DOM's types. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- whoever calls knows the type
export function newElement<Element>(): Element & Drawn {
  return window.document.createElement("div") as unknown as Element & Drawn;
}

/** Forgets what components have kept. */
export function forgetPage(): void {
  window.sessionStorage.clear();
  window.history.replaceState(null, "", "http://page.test/");
}
